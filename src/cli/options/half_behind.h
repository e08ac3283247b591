// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace edgeprobe::cli {

/// "|| dequantize | softmax": the half behind the model alone, without the bars. Empty for another
/// text.
std::string half_behind(const std::string& text);

}  // namespace edgeprobe::cli
