// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/dtype.h"

namespace edgeprobe::engine {

/// The element type behind the number that TFLite and LiteRT both use for it (TfLiteType).
DType dtype_of(int tflite_type);
/// What the runtimes call it, for messages: "string", "resource", …
const char* tflite_type_name(int tflite_type);

}  // namespace edgeprobe::engine
