// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace edgeprobe::cli {

/// The value of --core-affinity as cpus_from_text() reads it. A list ("0,2-3") stays one. A mask as
/// taskset has it, whose lowest bit is CPU 0, begins with 0x or holds one of the letters a to f:
/// "f0" and "0xf0" become "4,5,6,7"; digits alone are a CPU. kUsage for what is neither, and for a
/// mask of no CPU.
Result<std::string> cpus_from_affinity(std::string_view text);

}  // namespace edgeprobe::cli
