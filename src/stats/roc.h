// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "stats/interval.h"

/// How well a score separates two kinds: the area under its ROC curve.
namespace edgeprobe::stats {

struct AreaUnderCurve {
  double value = 0.5;  ///< Probability that a score of the second kind is larger; ties count half.
  double variance = 0;
  /// DeLong's interval (1988). If no pair is in the wrong order, that interval has no width; then
  /// Wilson's interval for the number of pairs that can be formed without reusing a score.
  Interval ci95;
};
/// `lower`, `higher`: scores of both kinds, without NaN. Empty if one of them is empty.
std::optional<AreaUnderCurve> area_under_curve(std::span<const double> lower,
                                               std::span<const double> higher);

struct AreaDifference {
  double value = 0;  ///< Second score's area minus the first's.
  Interval ci95;
  double p_value = 1;  ///< DeLong's test for two scores of the same items, two-sided.
};
/// `first_*` and `second_*` hold the two scores of the same items in the same order. Empty if there
/// are no items of one kind, or if the difference has no variance although it is not 0.
std::optional<AreaDifference> area_difference(std::span<const double> first_lower,
                                              std::span<const double> first_higher,
                                              std::span<const double> second_lower,
                                              std::span<const double> second_higher);

}  // namespace edgeprobe::stats
