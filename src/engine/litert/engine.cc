// SPDX-License-Identifier: Apache-2.0
#include "engine/litert/engine.h"

#include "core/file.h"
#include "core/text.h"
#include "engine/litert/session.h"
#include "engine/runtime_engine.h"

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

}  // namespace

Result<std::unique_ptr<Engine>> open(const std::filesystem::path& path, bool force_version) {
  EP_TRY(auto library, SharedLibrary::open(path));
  EP_TRY(auto api, bind(library));
  EP_TRY(const auto file, MappedFile::open(library.path()));
  EngineIdentity identity{"litert", "", library.path(), sha256(file)};
  for (const TriedLibrary& tried : kTried)
    if (identity.sha256 == tried.sha256) identity.version = tried.version;
  const bool tried = !identity.version.empty();
  if (!tried && !force_version)
    return Error{ErrorKind::kUnsupported,
                 "library '" + sanitized(path.string(), 300) +
                     "' is a LiteRT that edgeprobe was not tried with (sha256 " +
                     identity.sha256.substr(0, 12) +
                     "…); other versions give the same functions other arguments: "
                     "take the one of the PyPI wheel ai-edge-litert==2.3.0, or force the version "
                     "to try this one"};
  if (!tried) identity.version = "unknown";
  EP_TRY(auto runtime, Runtime::start(std::move(library), api, tried));
  identity.abilities = {"xnnpack", "builtin"};
  if (tried) identity.abilities.emplace_back("op times");
  if (runtime->tells_delegation()) identity.abilities.emplace_back("delegated ops");
  return std::unique_ptr<Engine>(std::make_unique<RuntimeEngine>(
      std::move(identity),
      [runtime = std::move(runtime)](ByteView model, std::string_view,
                                     const SessionOptions& options) {
        return load_session(runtime, model, options);
      },
      load_advice));
}

}  // namespace edgeprobe::engine::litert
