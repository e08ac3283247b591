// SPDX-License-Identifier: Apache-2.0
#include "stats/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/autocorrelation.h"
#include "stats/quantile.h"
#include "stats/splitmix.h"

namespace edgeprobe::stats {
namespace {

constexpr double kOutside = 0.025;  // on each side of a 95 % interval

double median_of_resample(std::span<const double> values, std::size_t block, std::uint64_t& seed,
                          std::vector<double>& scratch) {
  scratch.clear();
  while (scratch.size() < values.size()) {
    const std::size_t start =
        static_cast<std::size_t>(splitmix64(seed) % (values.size() - block + 1));
    for (std::size_t i = 0; i < block && scratch.size() < values.size(); ++i)
      scratch.push_back(values[start + i]);
  }
  return median_in_place(scratch);
}

/// As long as the dependence between values, but at most a quarter of the sample.
std::size_t block_length(std::span<const double> values) {
  const double length =
      std::ceil(static_cast<double>(values.size()) / effective_sample_size(values, 0.5));
  return std::clamp<std::size_t>(static_cast<std::size_t>(length), 1,
                                 std::max<std::size_t>(1, values.size() / 4));
}

}  // namespace

Interval bootstrap_mean(std::span<const double> values, int resamples, std::uint64_t seed) {
  if (values.empty() || resamples < 1) return {};
  std::vector<double> means(static_cast<std::size_t>(resamples));
  for (double& mean : means) {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      sum += values[static_cast<std::size_t>((splitmix64(seed) >> 32) * values.size() >> 32)];
    mean = sum / static_cast<double>(values.size());
  }
  std::sort(means.begin(), means.end());
  // The mean of an actual resample, not a value between two of them.
  const auto nearest = [&](double level) {
    return means[static_cast<std::size_t>(
        std::lround(level * static_cast<double>(means.size() - 1)))];
  };
  return {nearest(kOutside), nearest(1 - kOutside)};
}

Ratio median_ratio(std::span<const double> first, std::span<const double> second) {
  if (first.empty() || second.empty()) return {};
  const double below = median(first), above = median(second);
  if (!(below > 0)) return {};
  const std::size_t first_block = block_length(first), second_block = block_length(second);
  // Large samples need fewer resamples for the same stability; this bounds the work.
  const std::size_t resamples =
      std::clamp<std::size_t>(20'000'000 / (first.size() + second.size()), 200, 1000);
  std::uint64_t seed = 1;
  std::vector<double> ratios, scratch;
  for (std::size_t i = 0; i < resamples; ++i) {
    const double down = median_of_resample(first, first_block, seed, scratch);
    const double up = median_of_resample(second, second_block, seed, scratch);
    if (down > 0) ratios.push_back(up / down);
  }
  std::sort(ratios.begin(), ratios.end());
  return {above / below, quantile(ratios, kOutside), quantile(ratios, 1 - kOutside)};
}

}  // namespace edgeprobe::stats
