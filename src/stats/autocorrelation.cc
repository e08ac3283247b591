// SPDX-License-Identifier: Apache-2.0
#include "stats/autocorrelation.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "stats/quantile.h"

namespace edgeprobe::stats {

double integrated_autocorrelation_time(std::span<const double> series) {
  const std::size_t n = series.size();
  if (n < 4) return 1;
  const double mean = std::accumulate(series.begin(), series.end(), 0.0) / static_cast<double>(n);
  const auto covariance = [&](std::size_t lag) {
    double sum = 0;
    for (std::size_t i = 0; i + lag < n; ++i) sum += (series[i] - mean) * (series[i + lag] - mean);
    return sum;
  };
  const double variance = covariance(0);
  if (variance <= 0) return 1;
  double sum = 0;
  constexpr std::size_t kLongestLag = 500;
  for (std::size_t lag = 1; lag + 1 < std::min(n / 2, kLongestLag); lag += 2) {
    const double pair = (covariance(lag) + covariance(lag + 1)) / variance;
    if (pair <= 0) break;
    sum += pair;
  }
  return std::max(1.0, 1 + 2 * sum);
}

double effective_sample_size(std::span<const double> values, double level) {
  if (values.size() < 4) return static_cast<double>(values.size());
  std::vector<double> series(values.begin(), values.end());
  std::sort(series.begin(), series.end());
  const double at = quantile(series, level);
  std::transform(values.begin(), values.end(), series.begin(),
                 [at](double value) { return value <= at ? 1.0 : 0.0; });
  return static_cast<double>(values.size()) / integrated_autocorrelation_time(series);
}

}  // namespace edgeprobe::stats
