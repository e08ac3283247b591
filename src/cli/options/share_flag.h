// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/result.h"

namespace edgeprobe::cli {

/// "5%", "5 %" or "0.05" as 0.05. kUsage, naming the flag, for anything else, and for less than 0
/// or more than 100 %.
Result<double> share_from_text(const std::string& text, const char* flag);

}  // namespace edgeprobe::cli
