// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/dtype.h"

namespace edgeprobe::engine::openvino {

/// The element type that OpenVINO calls so ("f32", "u8", "boolean"); kOther for those that
/// edgeprobe neither feeds nor records ("string", "u4", "nf4", …).
DType dtype_of(std::string_view type);

}  // namespace edgeprobe::engine::openvino
