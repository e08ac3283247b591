// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

/// Whether a yes or no goes with a category.
namespace edgeprobe::stats {

/// How many of a category are of either kind.
struct CategoryCount {
  std::size_t yes = 0, no = 0;
};

struct AssociationTest {
  double p = 1;
  bool exact = true;     ///< False: estimated from permutations.
  double cramers_v = 0;  ///< 0..1 (Cramer 1946).
};

/// Fisher's exact test, two-sided, of two categories; of more, Freeman and Halton's (1951): the
/// chance of a table at most as probable as this one, both margins given. Above 200,000 tables it
/// is estimated from at most 9,999 permutations with a fixed seed, fewer once 50 are as improbable
/// (Besag and Clifford 1991). p = 1 for fewer than two categories, or one kind alone.
AssociationTest association(std::span<const CategoryCount> counts);

/// The least p that association() could give with these sizes of the categories and so many of one
/// kind: what no table with these margins passes. 0 above 200,000 tables.
double least_association_p(std::span<const CategoryCount> counts);

/// Upper tail of the chi-squared distribution.
double chi_squared_tail(double value, std::size_t degrees);

/// How much the variance of the counts grows because neighbours in time are alike in both: 1 plus
/// twice the sum over lags of the product of both autocorrelations, as long as it is positive; the
/// largest of all categories, at least 1. `category` and `yes` are in the order of time.
double joint_autocorrelation_time(std::span<const std::size_t> category,
                                  const std::vector<bool>& yes);

}  // namespace edgeprobe::stats
