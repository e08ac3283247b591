// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace edgeprobe::cli {

/// Values of flags as text. kUsage for invalid text.

/// "2GB", "500MB", "1000000": bytes in powers of 1000.
Result<std::uint64_t> bytes_from_text(const std::string& text);

/// "5%", "5 %" or "0.05" as 0.05. kUsage, naming the flag, for anything else, and for values below
/// 0 or above 100 %.
Result<double> share_from_text(const std::string& text, const char* flag);

/// The value of --time-limit in seconds; kUsage unless it is above 0 and at most a day.
Result<std::chrono::milliseconds> time_limit_from(double seconds);

/// "0,2-3": CPU numbers. Empty text: none.
Result<std::vector<int>> cpus_from_text(std::string_view text);
/// The value of --core-affinity for cpus_from_text(). A list ("0,2-3") stays one. A mask in
/// taskset's form, whose lowest bit is CPU 0, begins with 0x or contains a letter from a to f: "f0"
/// and "0xf0" become "4,5,6,7". A text of only digits is a CPU number. kUsage for other text, and
/// for a mask without a CPU.
Result<std::string> cpus_from_affinity(std::string_view text);

}  // namespace edgeprobe::cli
