// SPDX-License-Identifier: Apache-2.0
#include "stats/proportion.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::stats {
namespace {

constexpr double kZ95 = 1.959963984540054;        // normal quantile of 0.975
constexpr double kZPower80 = 0.8416212335729143;  // normal quantile of 0.8

}  // namespace

Interval wilson(std::uint64_t successes, std::uint64_t n) {
  if (n == 0) return {0, 1};
  const double count = static_cast<double>(n);
  const double fraction = static_cast<double>(std::min(successes, n)) / count;
  const double z2 = kZ95 * kZ95, scale = 1 + z2 / count;
  const double centre = (fraction + z2 / (2 * count)) / scale;
  const double half =
      kZ95 / scale * std::sqrt(fraction * (1 - fraction) / count + z2 / (4 * count * count));
  return {successes == 0 ? 0 : std::max(0.0, centre - half),
          successes >= n ? 1 : std::min(1.0, centre + half)};
}

double mcnemar_p(std::uint64_t only_first, std::uint64_t only_second) {
  const std::uint64_t few = std::min(only_first, only_second), all = only_first + only_second;
  if (all == 0) return 1;
  // Terms of the binomial from the largest down, relative to it, to avoid underflow.
  const double n = static_cast<double>(all), k = static_cast<double>(few);
  const double log_largest =
      std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) - n * 0.6931471805599453;
  double sum = 0, term = 1;
  for (double j = k; term > 1e-18 * sum; --j) {
    sum += term;
    if (j == 0) break;
    term *= j / (n - j + 1);
  }
  return std::min(1.0, 2 * std::exp(log_largest) * sum);
}

std::optional<std::uint64_t> required_sample_size(std::uint64_t only_first,
                                                  std::uint64_t only_second, std::uint64_t n) {
  if (n == 0 || only_first == only_second) return std::nullopt;
  const double count = static_cast<double>(n);
  const double either = static_cast<double>(only_first + only_second) / count;
  const double difference =
      (static_cast<double>(only_first) - static_cast<double>(only_second)) / count;
  const double root = kZ95 * std::sqrt(either) +
                      kZPower80 * std::sqrt(std::max(0.0, either - difference * difference));
  return static_cast<std::uint64_t>(std::ceil(root * root / (difference * difference)));
}

}  // namespace edgeprobe::stats
