// SPDX-License-Identifier: Apache-2.0
#include "stats/summary.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "stats/autocorrelation.h"

namespace edgeprobe::stats {

Summary summarize(std::span<const double> values) {
  Summary summary;
  if (values.empty()) return summary;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const double n = static_cast<double>(values.size());
  summary.count = values.size();
  summary.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / n;
  double squares = 0;
  for (const double value : sorted) squares += (value - summary.mean) * (value - summary.mean);
  summary.std = values.size() > 1 ? std::sqrt(squares / (n - 1)) : 0;
  summary.min = sorted.front();
  summary.max = sorted.back();
  summary.effective_sample_size = effective_sample_size(values, 0.5);
  summary.p50 = quantile_with_interval(sorted, 0.5, summary.effective_sample_size);
  summary.p90 = quantile_with_interval(sorted, 0.9, effective_sample_size(values, 0.9));
  summary.p99 = quantile_with_interval(sorted, 0.99, effective_sample_size(values, 0.99));
  return summary;
}

}  // namespace edgeprobe::stats
