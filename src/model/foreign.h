// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/bytes.h"
#include "core/result.h"

namespace edgeprobe::model {

/// Formats whose files are read here.
enum class Format { kTflite, kOnnx };

/// Which of the formats that are read these bytes claim to be, or why they are neither: what they
/// are instead and what to do about it.
Result<Format> format_of(ByteView file, std::string_view label);

}  // namespace edgeprobe::model
