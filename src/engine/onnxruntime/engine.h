// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/engine.h"

namespace edgeprobe::engine::onnxruntime {

/// Opens an ONNX Runtime library of 1.14 to 1.31. kUnsupported when it is none, or when its version
/// is another one and `force_version` is not set.
Result<std::unique_ptr<Engine>> open(const std::filesystem::path& library, bool force_version);

}  // namespace edgeprobe::engine::onnxruntime
