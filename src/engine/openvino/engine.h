// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/engine.h"

namespace edgeprobe::engine::openvino {

/// Opens an OpenVINO library, or the one in a folder. kUnsupported if it is not one, or if
/// edgeprobe was built without its OpenVINO plug-in.
Result<std::unique_ptr<Engine>> open(const std::filesystem::path& library);

}  // namespace edgeprobe::engine::openvino
