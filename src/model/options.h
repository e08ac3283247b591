#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"

namespace edgeprobe::model {

/// What the file says of how one operator computes, by name: "filter_width", "8"; "fused_activation", "RELU6". Only options that
/// are known to change what comes out, with the schema's own value where the file leaves one out.
using Options = std::vector<std::pair<std::string, std::string>>;

/// Of the operator at `layer` of the main graph of a .tflite file. Empty for operators without such options.
Result<Options> options_of(ByteView file, int layer);

}  // namespace edgeprobe::model
