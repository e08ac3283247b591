// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/result.h"
#include "core/tensor.h"

namespace edgeprobe::cli {

/// One array from a file: .npy, .npz or .pb (an ONNX TensorProto). "FILE.npz:NAME" selects one of
/// several. kUsage lists the names if none is given.
Result<Tensor> array_from(const std::string& what);

}  // namespace edgeprobe::cli
