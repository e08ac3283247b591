// SPDX-License-Identifier: Apache-2.0
#include "diagnose/fix/calibration_choice.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/evenly_spaced.h"

namespace edgeprobe::fix {
namespace {

/// Less than half an 8-bit code is not a wider range.
constexpr double kLeastGain = 0.5 / 255;

using Ranges = std::vector<Range>;

void widen(std::optional<Range>& range, const Range& by) {
  if (!range) range = by;
  range->low = std::min(range->low, by.low);
  range->high = std::max(range->high, by.high);
}

/// Fraction of the tensor's whole range that `sample` adds to `known`.
double gain(const std::optional<Range>& known, const Range& sample, const Range& whole) {
  const double width = double(whole.high) - double(whole.low);
  if (!(width > 0) || !std::isfinite(width)) return 0;
  if (!known) return (double(sample.high) - double(sample.low)) / width;
  return (std::max(0.0, double(known->low) - double(sample.low)) +
          std::max(0.0, double(sample.high) - double(known->high))) /
         width;
}

}  // namespace

std::vector<std::size_t> covering_samples(const std::vector<Ranges>& ranges, std::size_t most) {
  const std::size_t tensors = ranges.empty() ? 0 : ranges.front().size();
  std::vector<std::optional<Range>> whole(tensors), known(tensors);
  for (const Ranges& sample : ranges)
    for (std::size_t t = 0; t < tensors; ++t) widen(whole[t], sample[t]);

  std::vector<bool> taken(ranges.size(), false);
  std::vector<std::size_t> chosen;
  const auto take = [&](std::size_t s) {
    taken[s] = true;
    chosen.push_back(s);
    for (std::size_t t = 0; t < tensors; ++t) widen(known[t], ranges[s][t]);
  };
  while (chosen.size() < std::min(most, ranges.size())) {
    std::size_t best = 0;
    double best_gain = 0;
    for (std::size_t s = 0; s < ranges.size(); ++s) {
      if (taken[s]) continue;
      double sum = 0;
      for (std::size_t t = 0; t < tensors; ++t) {
        const double one = gain(known[t], ranges[s][t], *whole[t]);
        if (one > kLeastGain) sum += one;
      }
      if (sum > best_gain) best = s, best_gain = sum;
    }
    if (!(best_gain > 0)) break;
    take(best);
  }
  std::vector<std::size_t> rest;
  for (std::size_t s = 0; s < ranges.size(); ++s)
    if (!taken[s]) rest.push_back(s);
  for (const std::size_t i : evenly_spaced(rest.size(), most - std::min(most, chosen.size())))
    chosen.push_back(rest[i]);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

Split split_samples(std::size_t all) {
  constexpr std::size_t kLeast = 40, kEvery = 4;
  Split split;
  for (std::size_t i = 0; i < all; ++i)
    (all >= kLeast && i % kEvery == kEvery - 1 ? split.held_out : split.used).push_back(i);
  return split;
}

}  // namespace edgeprobe::fix
