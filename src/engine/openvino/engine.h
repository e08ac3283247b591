// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/engine.h"

namespace edgeprobe::engine::openvino {

/// Opens an OpenVINO library, or the one in a folder. kUnsupported when it is none, or when
/// edgeprobe was built without its plug-in for it.
Result<std::unique_ptr<Engine>> open(const std::filesystem::path& library);

}  // namespace edgeprobe::engine::openvino
