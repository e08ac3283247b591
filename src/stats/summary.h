#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "stats/rank.h"

/// Statistics of latencies: nothing is assumed about their distribution, and not that one run tells nothing about the next.
namespace edgeprobe::stats {

/// A quantile with its 95 % interval. An end is absent where so few independent values cannot bound it.
struct Quantile {
  double value = 0;
  std::optional<double> low, high;
};

struct Summary {
  std::size_t count = 0;
  double mean = 0, std = 0, min = 0, max = 0;  ///< std of a sample (n - 1); 0 for one value.
  Quantile p50, p90, p99;
  double independent = 0;  ///< As many independent values would tell as much about the median; at most `count`.
};
/// All zero for no values.
Summary summarize(const std::vector<double>& values);

/// Linear between the two nearest order statistics, as NumPy's default. `sorted` is ascending and not empty.
double quantile_of(const std::vector<double>& sorted, double share);

/// The 95 % interval of a quantile between two order statistics, from the binomial distribution (distribution-free);
/// `independent` (at most sorted.size()) takes the place of the number of values when they are not independent.
Quantile quantile_with_interval(const std::vector<double>& sorted, double share, double independent);

/// How many independent values tell as much about the `share`-quantile as these, in the order in which they were taken:
/// n / (1 + 2 * sum of the autocorrelations of "is below the quantile"), summed while pairs of them are positive (Geyer 1992).
double independent_count(const std::vector<double>& values, double share);


struct Ratio {
  double value = 1;
  double low = 1, high = 1;  ///< 95 %.
};
/// median(second) / median(first), with a percentile interval from resampled blocks (moving-block bootstrap; blocks as long
/// as the values depend on each other). The same values give the same interval on every machine. 1 when one is empty.
Ratio median_ratio(const std::vector<double>& first, const std::vector<double>& second);

}  // namespace edgeprobe::stats
