// SPDX-License-Identifier: Apache-2.0
#include "search/numbers.h"

#include <cmath>

namespace edgeprobe::search {

double shortest_between(double low, double high) {
  for (int digits = 0; digits < 7; ++digits)
    for (const double half : {1.0, 0.5}) {
      const double unit = half * std::pow(10.0, -digits);
      const double value = std::floor(high / unit + 1e-9) * unit;
      if (value > low && value <= high + 1e-12) return value;
    }
  return high;
}

std::vector<std::size_t> spread_over(const std::vector<std::size_t>& all, std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < most; ++i) out.push_back(all[i * all.size() / most]);
  return out;
}

}  // namespace edgeprobe::search
