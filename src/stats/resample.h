// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "stats/interval.h"

/// Intervals and tests for figures that are not means: the figure is recomputed from resampled or
/// exchanged items. The same items yield the same numbers on every machine.
namespace edgeprobe::stats {

/// The figure if item i counts weights[i] times; empty if it is undefined.
using WeightedFigure = std::function<std::optional<double>(std::span<const std::uint32_t> weights)>;

/// Number of draws for a figure that takes `cost` steps: 1,000, or fewer if that would take long,
/// at least 100.
int draws_for(double cost);

/// 95 % percentile interval of the figure (Efron 1979) over `count` items. Empty for fewer than two
/// items, or if fewer than half of the draws define it.
std::optional<Interval> bootstrap(std::size_t count, const WeightedFigure& figure, int draws,
                                  std::uint64_t seed = 1);

/// Answers of a reference and a target to the same frames: items 0..frames-1 are the reference's,
/// the following ones the target's.
struct PairedFigure {
  std::optional<Interval> difference_ci95;  ///< Target minus reference; frames are drawn as pairs.
  /// For two equally good sides: the fraction of exchanges of both answers, frame by frame, with a
  /// difference at least this large (Fisher's randomisation, two-sided). Exhaustive up to 10
  /// frames.
  double p_value = 1;
};
PairedFigure paired(std::size_t frames, const WeightedFigure& figure, int draws,
                    std::uint64_t seed = 1);

}  // namespace edgeprobe::stats
