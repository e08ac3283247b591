// SPDX-License-Identifier: Apache-2.0
#include "engine/openvino/engine.h"

#include "engine/openvino/library.h"

namespace edgeprobe::engine::openvino {

Result<std::unique_ptr<Engine>> open(const std::filesystem::path& given) {
  EP_TRY(const auto path, find_library(given));
  EP_TRY(auto plugin, open_plugin(path));
  // Results are about OpenVINO's library, not about the plug-in.
  EngineIdentity identity{plugin.name(), plugin.version(), path, {}};
  return native::start(std::move(plugin), "", std::move(identity));
}

}  // namespace edgeprobe::engine::openvino
