// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "stats/interval.h"

/// How well a score tells two kinds apart: the area under its ROC curve.
namespace edgeprobe::stats {

struct AreaUnderCurve {
  double value = 0.5;  ///< Chance that a score of the second kind is larger; ties count half.
  double variance = 0;
  /// DeLong's (1988). Where no pair is in the wrong order that has no width: then Wilson's for as
  /// many pairs as can be formed without using a score twice.
  Interval ci95;
};
/// `lower`, `higher`: scores of both kinds, without NaN. Nothing when one is empty.
std::optional<AreaUnderCurve> area_under_curve(std::span<const double> lower,
                                               std::span<const double> higher);

struct AreaDifference {
  double value = 0;  ///< Second score's area minus the first's.
  Interval ci95;
  double p_value = 1;  ///< DeLong's test of two scores of the same items, two-sided.
};
/// `first_*` and `second_*` hold the two scores of the same items in the same order. Nothing when
/// there are no items of one kind, or the difference has no variance although it is not 0.
std::optional<AreaDifference> area_difference(std::span<const double> first_lower,
                                              std::span<const double> first_higher,
                                              std::span<const double> second_lower,
                                              std::span<const double> second_higher);

}  // namespace edgeprobe::stats
