#include "engine/litert/engine.h"

#include "core/file.h"
#include "core/text.h"
#include "engine/litert/session.h"

namespace edgeprobe::engine::litert {
namespace {

/// The library has no function that tells its version.
struct TriedLibrary {
  const char* sha256;
  const char* version;
};
constexpr TriedLibrary kTried[] = {
    {"eec47eb35e2924b3166015887e652a58edc9af823ae38e02bf83bef2548300bb", "2.3.0"},  // PyPI, x86-64
};

class LiteRtEngine final : public Engine {
 public:
  LiteRtEngine(std::shared_ptr<Runtime> runtime, EngineIdentity identity)
      : runtime_(std::move(runtime)), identity_(std::move(identity)) {}

  const EngineIdentity& identity() const override { return identity_; }

  Result<std::unique_ptr<Session>> load(ByteView model, std::string_view label,
                                        const SessionOptions& options) override {
    auto session = load_session(runtime_, model, options);
    if (!session)
      return std::move(session).error().during("litert " + identity_.version + " cannot load '" + printable(label) +
                                               "'");
    return session;
  }

 private:
  std::shared_ptr<Runtime> runtime_;
  EngineIdentity identity_;
};

}  // namespace

Result<std::unique_ptr<Engine>> open(const std::filesystem::path& path, bool force_version) {
  auto library = SharedLibrary::open(path);
  if (!library) return std::move(library).error();
  auto api = bind(*library);
  if (!api) return std::move(api).error();
  const auto file = MappedFile::open(library->path());
  if (!file) return file.error();
  EngineIdentity identity{"litert", "", library->path(), sha256(*file)};
  for (const TriedLibrary& tried : kTried)
    if (identity.sha256 == tried.sha256) identity.version = tried.version;
  const bool tried = !identity.version.empty();
  if (!tried && !force_version)
    return Error{Fault::kUnsupported,
                 "library '" + printable(path.string(), 300) + "' is a LiteRT that edgeprobe was not tried with (sha256 " +
                     identity.sha256.substr(0, 12) + "…); other versions give the same functions other arguments: "
                     "take the one of the PyPI wheel ai-edge-litert==2.3.0, or force the version to try this one"};
  if (!tried) identity.version = "unknown";
  auto runtime = Runtime::start(std::move(*library), *api, tried);
  if (!runtime) return std::move(runtime).error();
  identity.formats = {"tflite"};
  identity.abilities = {"xnnpack", "builtin"};
  if (tried) identity.abilities.emplace_back("op times");
  if ((*runtime)->tells_delegation()) identity.abilities.emplace_back("delegated ops");
  return std::unique_ptr<Engine>(std::make_unique<LiteRtEngine>(std::move(*runtime), std::move(identity)));
}

}  // namespace edgeprobe::engine::litert
