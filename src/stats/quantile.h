// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <ranges>
#include <span>

/// Quantiles of a sample, in the sample's unit. A level is the fraction of values below it, 0..1.
/// Each convention is named as in NumPy's quantile() (Hyndman and Fan 1996 compare them).
namespace edgeprobe::stats {

/// The value at position level * (n - 1) of the `sorted` (ascending) values, linear between
/// neighbours: NumPy's default, type 7 of Hyndman and Fan. Needs at least one value.
double quantile(std::span<const double> sorted, double level);

/// The smallest of the `sorted` values that is at least as large as the fraction `level` (above 0)
/// of them: NumPy's "inverted_cdf". Needs at least one value.
double nearest_rank(std::span<const double> sorted, double level);

/// The middle value; for an even number, the mean of both. 0 for no values.
double median(std::span<const double> values);
/// Same without a copy; reorders the values.
double median_in_place(std::span<double> values);

/// The sample value at position floor(level * (n - 1)): NumPy's "lower". Reorders the values; needs
/// at least one.
template <std::ranges::contiguous_range Values>
auto lower_quantile(Values&& values, double level) {
  const std::span all(values);
  const auto place =
      all.begin() + static_cast<std::ptrdiff_t>(level * static_cast<double>(all.size() - 1));
  std::nth_element(all.begin(), place, all.end());
  return *place;
}

/// The middle value; for an even number, the larger of both: NumPy's "higher" at 0.5. For integers,
/// and if the result must be a value of the sample. Reorders the values; 0 for none.
template <std::ranges::contiguous_range Values>
auto upper_median(Values&& values) {
  const std::span all(values);
  if (all.empty()) return std::ranges::range_value_t<Values>{};
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

/// A quantile with its 95 % interval. An end is unset if too few independent values bound it.
struct Quantile {
  double value = 0;
  std::optional<double> low, high;
};
/// The 95 % interval of quantile() between two order statistics, from the binomial distribution,
/// without assumptions about the sample's. `effective_sample_size` (1..n) replaces n if the values
/// depend on each other.
Quantile quantile_with_interval(std::span<const double> sorted, double level,
                                double effective_sample_size);

}  // namespace edgeprobe::stats
