#pragma once

#include <optional>
#include <string_view>

#include "core/bytes.h"
#include "core/result.h"

namespace edgeprobe::model {

/// Why these bytes are no .tflite model, told by their first bytes: what they are instead and what to
/// do about it. Nothing when they carry the identifier of the format.
std::optional<Error> foreign_format(ByteView file, std::string_view label);

}  // namespace edgeprobe::model
