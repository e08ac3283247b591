// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/bytes.h"
#include "core/result.h"

namespace edgeprobe::model {

/// File formats that edgeprobe reads.
enum class Format { kTflite, kOnnx };

/// The format that these bytes appear to have, or an error with their actual kind and what to do.
Result<Format> format_of(ByteView file, std::string_view label);

}  // namespace edgeprobe::model
