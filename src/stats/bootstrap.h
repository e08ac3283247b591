// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "stats/interval.h"

/// Intervals from resampling (Efron 1979). The same values give the same interval on every machine.
namespace edgeprobe::stats {

/// 95 % percentile interval of the mean, in the unit of the values: for paired data, pass the
/// differences. 0..0 for no values.
Interval bootstrap_mean(std::span<const double> values, int resamples = 2000,
                        std::uint64_t seed = 1);

struct Ratio {
  double value = 1;
  double low = 1, high = 1;  ///< 95 %.
};
/// median(second) / median(first), with a percentile interval from resampled blocks (moving-block
/// bootstrap, Kuensch 1989; blocks as long as the dependence between values). 1 if one is empty.
Ratio median_ratio(std::span<const double> first, std::span<const double> second);

}  // namespace edgeprobe::stats
