// SPDX-License-Identifier: Apache-2.0
#include "report/rulings/rulings.h"

#include <algorithm>

namespace edgeprobe::report {

std::size_t Rulings::count(Ruled wanted) const {
  return static_cast<std::size_t>(std::count_if(
      lines.begin(), lines.end(), [&](const Ruling& one) { return one.ruled == wanted; }));
}

}  // namespace edgeprobe::report
