// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/result.h"
#include "core/tensor.h"

namespace edgeprobe::cli {

/// One array of a file: .npy, .npz or .pb (an ONNX TensorProto). "FILE.npz:NAME" picks one of
/// several. kUsage lists the names where none is given.
Result<Tensor> array_from(const std::string& what);

}  // namespace edgeprobe::cli
