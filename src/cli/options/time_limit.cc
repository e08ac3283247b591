// SPDX-License-Identifier: Apache-2.0
#include "cli/options/time_limit.h"

#include <cstdint>

#include "core/text.h"

namespace edgeprobe::cli {

Result<std::chrono::milliseconds> time_limit_from(double seconds) {
  if (!(seconds > 0) || seconds > 86'400)
    return Error{ErrorKind::kUsage, "--time-limit " + number(seconds, 8) +
                                        ": expected seconds, above 0 and at most 86400"};
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

}  // namespace edgeprobe::cli
