// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "stats/quantile.h"

namespace edgeprobe::stats {

/// What a sample of latencies says, in its unit; nothing is assumed about its distribution, and not
/// that one run tells nothing about the next.
struct Summary {
  std::size_t count = 0;
  double mean = 0, std = 0, min = 0, max = 0;  ///< std of a sample (n - 1); 0 for one value.
  Quantile p50, p90, p99;
  double effective_sample_size = 0;  ///< Of the median; at most `count`.
};
/// Of the values in the order in which they were taken. All zero for no values.
Summary summarize(std::span<const double> values);

}  // namespace edgeprobe::stats
