// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/dtype.h"

namespace edgeprobe::engine {

/// The element type for the number that TFLite and LiteRT both use (TfLiteType).
DType dtype_of(int tflite_type);
/// The runtimes' name, for messages: "string", "resource", …
const char* tflite_type_name(int tflite_type);

}  // namespace edgeprobe::engine
