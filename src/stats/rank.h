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

struct PermutationTest {
  double p = 1;  ///< Two-sided.
  double least_p =
      1;              ///< Of the most uneven split of these values: no other split has a smaller p.
  bool exact = true;  ///< False: estimated from permutations.
  double probability_of_superiority = 0.5;  ///< As in RankTest.
};
/// The permutation test of the rank sum, ties and all: the fraction of the splits of all values
/// into samples of these sizes whose rank sum of the second is at least as far from its mean. For
/// items that are independent of each other. Beyond some 90 values it is estimated from 9,999
/// permutations with a fixed seed, and least_p is 1/10,000. p = 1 when one is empty.
PermutationTest rank_permutation(std::span<const double> first, std::span<const double> second);

/// Holm's adjustment (1979) of the p values of several tests, in the order given.
std::vector<double> holm(std::span<const double> p);

}  // namespace edgeprobe::stats
