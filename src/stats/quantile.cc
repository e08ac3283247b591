// SPDX-License-Identifier: Apache-2.0
#include "stats/quantile.h"

#include <cmath>
#include <numeric>
#include <vector>

namespace edgeprobe::stats {
namespace {

constexpr double kOutside = 0.025;  // on each side of a 95 % interval

/// P(X <= k) for k = 0 … n of a binomial distribution.
std::vector<double> binomial_cdf(std::size_t n, double p) {
  std::vector<double> cdf(n + 1);
  double sum = 0;
  for (std::size_t k = 0; k <= n; ++k) {
    const double count = static_cast<double>(n), hits = static_cast<double>(k);
    sum += std::exp(std::lgamma(count + 1) - std::lgamma(hits + 1) - std::lgamma(count - hits + 1) +
                    hits * std::log(p) + (count - hits) * std::log1p(-p));
    cdf[k] = std::min(1.0, sum);
  }
  return cdf;
}

}  // namespace

double quantile(std::span<const double> sorted, double level) {
  const double at = level * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  if (below + 1 >= sorted.size()) return sorted.back();
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}

double nearest_rank(std::span<const double> sorted, double level) {
  const auto rank = static_cast<std::size_t>(std::ceil(level * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

double median_in_place(std::span<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return values.size() % 2 == 1 ? *middle
                                : std::midpoint(*std::max_element(values.begin(), middle), *middle);
}

double median(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  return median_in_place(copy);
}

Quantile quantile_with_interval(std::span<const double> sorted, double level,
                                double effective_sample_size) {
  Quantile result{quantile(sorted, level), {}, {}};
  const std::size_t n = sorted.size();
  const auto effective =
      static_cast<std::size_t>(std::clamp(effective_sample_size, 1.0, static_cast<double>(n)));
  const std::vector<double> cdf = binomial_cdf(effective, level);
  // Ranks from 1 in the effective sample: the quantile is below order statistic r with probability
  // P(X < r).
  std::size_t low = 0, high = effective + 1;
  for (std::size_t k = 0; k < effective; ++k)
    if (cdf[k] <= kOutside) low = k + 1;
  for (std::size_t k = effective; k-- > 0;)
    if (cdf[k] >= 1 - kOutside) high = k + 1;
  const double scale = static_cast<double>(n) / static_cast<double>(effective);
  if (low >= 1) {
    const auto rank = static_cast<std::size_t>(std::floor(static_cast<double>(low) * scale));
    result.low = sorted[std::clamp<std::size_t>(rank, 1, n) - 1];
  }
  if (high <= effective) {
    const auto rank = static_cast<std::size_t>(std::ceil(static_cast<double>(high) * scale));
    result.high = sorted[std::clamp<std::size_t>(rank, 1, n) - 1];
  }
  return result;
}

}  // namespace edgeprobe::stats
