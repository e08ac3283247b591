// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "core/result.h"

namespace edgeprobe::cli {

/// What --time-limit says, in seconds; kUsage unless it is above 0 and at most a day.
Result<std::chrono::milliseconds> time_limit_from(double seconds);

}  // namespace edgeprobe::cli
