// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

/// Tests whether a yes/no outcome is associated with a category.
namespace edgeprobe::stats {

/// Counts of both outcomes in a category.
struct CategoryCount {
  std::size_t yes = 0, no = 0;
};

struct AssociationTest {
  double p = 1;
  bool exact = true;     ///< False: estimated from permutations.
  double cramers_v = 0;  ///< 0..1 (Cramer 1946).
};

/// Fisher's exact test, two-sided, for two categories; for more, Freeman and Halton's (1951): the
/// probability of all tables at most as probable as this one, with both margins fixed. Above
/// 200,000 tables it is estimated from at most 9,999 permutations with a fixed seed, fewer once 50
/// are as improbable (Besag and Clifford 1991). p = 1 for fewer than two categories, or if all
/// outcomes are equal.
AssociationTest association(std::span<const CategoryCount> counts);

/// Lower bound on p of association() for these category sizes and this number of yes: no table with
/// these margins goes below it. 0 above 200,000 tables.
double least_association_p(std::span<const CategoryCount> counts);

/// Upper tail of the chi-squared distribution.
double chi_squared_tail(double value, std::size_t degrees);

/// Factor by which the variance of the counts grows because both series are autocorrelated: 1 plus
/// twice the sum over lags of the product of both autocorrelations, while it is positive; the
/// maximum over all categories, at least 1. `category` and `yes` are in temporal order.
double joint_autocorrelation_time(std::span<const std::size_t> category,
                                  const std::vector<bool>& yes);

}  // namespace edgeprobe::stats
