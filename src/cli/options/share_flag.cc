// SPDX-License-Identifier: Apache-2.0
#include "cli/options/share_flag.h"

#include <cmath>
#include <cstdlib>

#include "core/text.h"

namespace edgeprobe::cli {

Result<double> share_from_text(const std::string& text, const char* flag) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  std::string unit = end;
  while (!unit.empty() && unit.front() == ' ') unit.erase(0, 1);
  const double share = unit == "%" ? value / 100 : value;
  if (end == text.c_str() || (!unit.empty() && unit != "%") || !std::isfinite(share) || share < 0 ||
      share > 1)
    return Error{ErrorKind::kUsage, std::string(flag) + " '" + sanitized(text, 60) +
                                        "': expected a share, e.g. 5% or 0.05"};
  return share;
}

}  // namespace edgeprobe::cli
