// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

/// Tests whether one sample has larger values than another, without assumptions about
/// distributions.
namespace edgeprobe::stats {

struct RankTest {
  /// Two-sided: probability of a split at least this uneven if both come from one distribution.
  double p = 1;
  /// Probability that a value of the second exceeds one of the first; ties count half (Vargha and
  /// Delaney 2000).
  double probability_of_superiority = 0.5;
};
/// Mann-Whitney test (1947): exact for small samples without ties (n * m <= 400), or else normal
/// with corrections for ties and continuity, its variance widened by the integrated autocorrelation
/// time of each sample's ranks, in measurement order. p = 1 if one is empty.
RankTest mann_whitney(std::span<const double> first, std::span<const double> second);

struct PermutationTest {
  double p = 1;        ///< Two-sided.
  double least_p = 1;  ///< p of the most uneven split of these values: no split has a smaller one.
  bool exact = true;   ///< False: estimated from permutations.
  double probability_of_superiority = 0.5;  ///< Same as in RankTest.
};
/// The permutation test of the rank sum, including ties: the fraction of splits of all values into
/// samples of these sizes whose rank sum of the second deviates at least as much from its mean. For
/// independent items. Beyond about 90 values it is estimated from 9,999 permutations with a fixed
/// seed, and least_p is 1/10,000. p = 1 if one is empty.
PermutationTest rank_permutation(std::span<const double> first, std::span<const double> second);

/// Holm's adjustment (1979) of the p values of several tests, in the order given.
std::vector<double> holm(std::span<const double> p);

}  // namespace edgeprobe::stats
