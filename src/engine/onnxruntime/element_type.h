// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/dtype.h"

namespace edgeprobe::engine::onnxruntime {

/// The element type behind ONNX's number for it (TensorProto.DataType, which the runtime uses too).
DType dtype_of(int element_type);
/// The inverse; 0 for types that have no such number.
int number_of(DType dtype);
/// What ONNX calls it, for messages: "string", "complex64", …
const char* type_name(int element_type);
/// What a value that is no tensor is: "a sequence", "a map", …
const char* kind_name(int kind);

}  // namespace edgeprobe::engine::onnxruntime
