// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/engine.h"

namespace edgeprobe::engine::onnxruntime {

/// Opens an ONNX Runtime library. kUnsupported if it is another library, or older than 1.14.
Result<std::unique_ptr<Engine>> open(const std::filesystem::path& library);

}  // namespace edgeprobe::engine::onnxruntime
