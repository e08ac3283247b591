// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

/// Tests of whether one sample has larger values than another; nothing is assumed about
/// distributions.
namespace edgeprobe::stats {

struct RankTest {
  double p = 1;  ///< Two-sided: so uneven a split when both come from one distribution.
  /// Chance that a value of the second is larger than one of the first; ties count half (Vargha and
  /// Delaney 2000).
  double probability_of_superiority = 0.5;
};
/// Mann-Whitney (1947): exact for small samples without ties (n * m <= 400), else normal with ties
/// and continuity, its variance widened by the integrated autocorrelation time of each sample's
/// ranks, in the order in which they were taken. p = 1 when one is empty.
RankTest mann_whitney(std::span<const double> first, std::span<const double> second);

/// Holm's adjustment (1979) of the p values of several tests, in the order given.
std::vector<double> holm(std::span<const double> p);

}  // namespace edgeprobe::stats
