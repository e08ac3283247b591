// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace edgeprobe::cli {

/// Values of flags as text. Each is kUsage for text that is none.

/// "2GB", "500MB", "1000000": bytes in powers of 1000.
Result<std::uint64_t> bytes_from_text(const std::string& text);

/// "5%", "5 %" or "0.05" as 0.05. kUsage, naming the flag, for anything else, and for less than 0
/// or more than 100 %.
Result<double> share_from_text(const std::string& text, const char* flag);

/// What --time-limit says, in seconds; kUsage unless it is above 0 and at most a day.
Result<std::chrono::milliseconds> time_limit_from(double seconds);

/// "0,2-3": CPU numbers. Empty text: none.
Result<std::vector<int>> cpus_from_text(std::string_view text);
/// The value of --core-affinity as cpus_from_text() reads it. A list ("0,2-3") stays one. A mask as
/// taskset has it, whose lowest bit is CPU 0, begins with 0x or holds one of the letters a to f:
/// "f0" and "0xf0" become "4,5,6,7"; digits alone are a CPU. kUsage for what is neither, and for a
/// mask of no CPU.
Result<std::string> cpus_from_affinity(std::string_view text);

}  // namespace edgeprobe::cli
