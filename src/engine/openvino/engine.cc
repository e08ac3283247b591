// SPDX-License-Identifier: Apache-2.0
#include "engine/openvino/engine.h"

#include "core/file.h"
#include "core/text.h"
#include "engine/openvino/session.h"
#include "engine/runtime_engine.h"

namespace edgeprobe::engine::openvino {
Result<std::unique_ptr<Engine>> open(const std::filesystem::path& given) {
  EP_TRY(const auto path, find_library(given));
  EP_TRY(auto runtime, open_runtime(path));
  EngineIdentity identity{"openvino", runtime->version, runtime->library.path(), {}};
  EP_TRY(const auto file, MappedFile::open(identity.library));
  identity.sha256 = sha256(file);
  identity.abilities = {"op times"};
  return std::unique_ptr<Engine>(std::make_unique<RuntimeEngine>(
      std::move(identity), [runtime = std::move(runtime)](ByteView model, std::string_view label,
                                                          const SessionOptions& options) {
        return load_session(runtime, model, label, options);
      }));
}

}  // namespace edgeprobe::engine::openvino
