#include "engine/openvino/engine.h"

#include "core/file.h"
#include "core/text.h"
#include "engine/openvino/session.h"

namespace edgeprobe::engine::openvino {
namespace {

class OpenVinoEngine final : public Engine {
 public:
  OpenVinoEngine(std::shared_ptr<Runtime> runtime, EngineIdentity identity)
      : runtime_(std::move(runtime)), identity_(std::move(identity)) {}

  const EngineIdentity& identity() const override { return identity_; }

  Result<std::unique_ptr<Session>> load(ByteView model, std::string_view label, const SessionOptions& options) override {
    auto session = load_session(runtime_, model, label, options);
    if (!session)
      return std::move(session).error().during("openvino " + identity_.version + " cannot load '" + printable(label) + "'");
    return session;
  }

 private:
  std::shared_ptr<Runtime> runtime_;
  EngineIdentity identity_;
};

}  // namespace

Result<std::unique_ptr<Engine>> open(const std::filesystem::path& given, bool force_version) {
  const auto path = find_library(given);
  if (!path) return path.error();
  auto runtime = open_runtime(*path, force_version);
  if (!runtime) return std::move(runtime).error();
  EngineIdentity identity{"openvino", (*runtime)->version, (*runtime)->library.path(), {}};
  const auto file = MappedFile::open(identity.library);
  if (!file) return file.error();
  identity.sha256 = sha256(*file);
  identity.formats = {"tflite", "onnx", "openvino-ir"};
  identity.abilities = {"op times"};
  return std::unique_ptr<Engine>(std::make_unique<OpenVinoEngine>(std::move(*runtime), std::move(identity)));
}

}  // namespace edgeprobe::engine::openvino
