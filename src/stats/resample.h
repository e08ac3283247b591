// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "stats/interval.h"

/// Intervals and tests of a figure that is no mean: it is computed anew from items that are drawn
/// again, or exchanged. The same items give the same numbers on every machine.
namespace edgeprobe::stats {

/// The figure where item i counts weights[i] times; nothing where it is not defined.
using WeightedFigure = std::function<std::optional<double>(std::span<const std::uint32_t> weights)>;

/// Draws for a figure that takes `cost` steps: 1,000, fewer where that would take long, at least
/// 100.
int draws_for(double cost);

/// 95 % percentile interval of the figure (Efron 1979) over `count` items. Nothing for fewer than
/// two items, or where fewer than half of the draws define it.
std::optional<Interval> bootstrap(std::size_t count, const WeightedFigure& figure, int draws,
                                  std::uint64_t seed = 1);

/// What a reference and a target answered to the same frames: items 0..frames-1 are the
/// reference's, the next ones the target's.
struct PairedFigure {
  std::optional<Interval> difference_ci95;  ///< Target minus reference; frames drawn as pairs.
  /// Of two equally good sides: the fraction of exchanges of both answers, frame by frame, with at
  /// least so large a difference (Fisher's randomisation, two-sided). All of them up to 10 frames.
  double p_value = 1;
};
PairedFigure paired(std::size_t frames, const WeightedFigure& figure, int draws,
                    std::uint64_t seed = 1);

}  // namespace edgeprobe::stats
