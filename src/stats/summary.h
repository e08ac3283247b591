// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "stats/quantile.h"

namespace edgeprobe::stats {

/// Statistics of a sample of latencies, in its unit, without assumptions about its distribution or
/// about independence of the runs.
struct Summary {
  std::size_t count = 0;
  double mean = 0, std = 0, min = 0, max = 0;  ///< std of a sample (n - 1); 0 for one value.
  Quantile p50, p90, p99;
  double effective_sample_size = 0;  ///< For the median; at most `count`.
};
/// Values are in measurement order. All zero for no values.
Summary summarize(std::span<const double> values);

}  // namespace edgeprobe::stats
