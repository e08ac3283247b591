// SPDX-License-Identifier: Apache-2.0
#include "stats/association.h"

#include <vector>

#include <gtest/gtest.h>

#include "stats/rank.h"

namespace edgeprobe::stats {
namespace {

using Counts = std::vector<CategoryCount>;

// Expected values: scipy 1.17.1, stats.fisher_exact(table), stats.contingency.association(table).
TEST(Association, OfTwoCategoriesIsSciPysFisherExact) {
  struct Row {
    Counts counts;
    double p, v;
  };
  for (const Row& row : {Row{{{8, 2}, {1, 5}}, 0.034965034965034975, 0.6180700462007377},
                         Row{{{12, 5}, {3, 20}}, 0.0002999894216743347, 0.5875955600576713},
                         Row{{{0, 10}, {10, 0}}, 1.082508822446903e-05, 1.0},
                         Row{{{3, 1}, {1, 3}}, 0.48571428571428565, 0.5},
                         Row{{{40, 160}, {90, 110}}, 1.3065138109061826e-07, 0.2668802563418119}}) {
    const AssociationTest test = association(row.counts);
    EXPECT_NEAR(test.p, row.p, 1e-9 * row.p);
    EXPECT_NEAR(test.cramers_v, row.v, 1e-12);
    EXPECT_TRUE(test.exact);
  }
}

// Expected values: Python, all tables with these margins by itertools.product, in fractions;
// scipy's Monte Carlo gives .0432.
TEST(Association, OfThreeCategoriesIsFreemanAndHaltons) {
  const AssociationTest test = association(Counts{{6, 1}, {2, 7}, {3, 5}});
  EXPECT_NEAR(test.p, 0.04267061515681787, 1e-12);
  EXPECT_NEAR(test.cramers_v, 0.5295151370700184, 1e-12);
}

TEST(Association, ManyTablesArePermuted) {
  Counts even(15, {10, 10}), uneven = even;
  EXPECT_FALSE(association(even).exact);
  EXPECT_GT(association(even).p, 0.9);
  for (std::size_t i = 0; i < 15; ++i) uneven[i] = {i < 5 ? 18u : 6u, i < 5 ? 2u : 14u};
  EXPECT_EQ(association(uneven).p, 1e-4) << "none of 9,999 permutations";
}

TEST(Association, WithoutTwoCategoriesOrKindsTellsNothing) {
  EXPECT_EQ(association(Counts{}).p, 1);
  EXPECT_EQ(association(Counts{{5, 5}}).p, 1);
  EXPECT_EQ(association(Counts{{5, 5}, {0, 0}}).p, 1);
  EXPECT_EQ(association(Counts{{5, 0}, {7, 0}}).p, 1);
}

// Expected values: Python, the smallest probability of all tables with these margins by
// itertools.product, and those equally improbable.
TEST(Association, TheLeastPIsThatOfTheMostUnevenTable) {
  EXPECT_NEAR(least_association_p(Counts{{3, 2}, {0, 5}}), 0.16666666666666666, 1e-12);
  EXPECT_NEAR(least_association_p(Counts{{3, 0}, {0, 2}}), 0.1, 1e-12);
  EXPECT_NEAR(least_association_p(Counts{{2, 1}, {2, 1}, {0, 3}}), 0.14285714285714285, 1e-12);
  EXPECT_NEAR(least_association_p(Counts{{3, 7}, {0, 1}, {0, 1}}), 0.045454545454545456, 1e-12);
  EXPECT_EQ(least_association_p(Counts{{3, 2}}), 1);
  EXPECT_EQ(least_association_p(Counts(15, {10, 10})), 0) << "too many tables to know";
}

// Expected values: scipy 1.17.1, stats.permutation_test of the rank sum's distance from its mean
// over all splits; the superiority is stats.mannwhitneyu's statistic over the pairs.
TEST(RankPermutation, IsSciPysPermutationTestWithTies) {
  struct Row {
    std::vector<double> first, second;
    double p, least_p, superiority;
  };
  for (const Row& row :
       {Row{{1, 2, 3, 4}, {5, 6, 7}, 0.05714285714285714, 0.05714285714285714, 1},
        Row{{1, 1, 2, 3, 3, 5}, {2, 3, 3, 8}, 0.3380952380952381, 0.004761904761904762, 0.6875},
        Row{{5.5, 1.25, 9, 2, 2, 2, 7},
            {2, 3, 10, 11, 2},
            0.41414141414141414,
            0.0012626262626262627,
            0.6571428571428571},
        Row{{1, 2, 3, 4, 5, 6},
            {9, 8, 7, 6, 5, 4},
            0.03463203463203463,
            0.004329004329004329,
            0.875}}) {
    for (const bool is_swapped : {false, true}) {
      const PermutationTest test = is_swapped ? rank_permutation(row.second, row.first)
                                              : rank_permutation(row.first, row.second);
      EXPECT_NEAR(test.p, row.p, 1e-12);
      EXPECT_NEAR(test.least_p, row.least_p, 1e-12);
      EXPECT_NEAR(test.probability_of_superiority,
                  is_swapped ? 1 - row.superiority : row.superiority, 1e-12);
      EXPECT_TRUE(test.exact);
    }
  }
}

// Expected values: scipy 1.17.1, stats.mannwhitneyu(second, first, method="exact").
TEST(RankPermutation, WithoutTiesIsSciPysExactMannWhitney) {
  const std::vector<double> many{3.1, 9.2, 8.8, 7.7, 6.1, 12, 11.5, 10.2, 9.9},
      few{1.5, 2.5, 0.3, 4.4, 5.5, 6.6, 3.3, 0.1, 0.2, 7.1, 8.1};
  EXPECT_NEAR(rank_permutation(few, many).p, 0.0016432483924743986, 1e-12);
  std::vector<double> forty, twenty;
  for (int i = 0; i < 40; ++i) forty.push_back(i * 0.5);
  for (int i = 0; i < 20; ++i) twenty.push_back(i * 0.9 + 3.05);
  EXPECT_NEAR(rank_permutation(forty, twenty).p, 0.2580124525126135, 1e-9);
  EXPECT_TRUE(rank_permutation(forty, twenty).exact);
}

TEST(RankPermutation, ManyValuesArePermuted) {
  std::vector<double> low, high, same;
  for (int i = 0; i < 200; ++i) low.push_back(i), high.push_back(i + 150), same.push_back(i);
  EXPECT_FALSE(rank_permutation(low, high).exact);
  EXPECT_EQ(rank_permutation(low, high).p, 1e-4) << "none of 9,999 permutations";
  EXPECT_GT(rank_permutation(low, same).p, 0.9);
  EXPECT_EQ(rank_permutation(low, {}).p, 1);
}

// Expected values: scipy 1.17.1, stats.chi2.sf(value, degrees).
TEST(Association, ChiSquaredTailIsSciPys) {
  EXPECT_NEAR(chi_squared_tail(3.2, 1), 0.07363827012030258, 1e-12);
  EXPECT_NEAR(chi_squared_tail(7.5, 2), 0.023517745856009114, 1e-12);
  EXPECT_NEAR(chi_squared_tail(11.1, 5), 0.0494329339438485, 1e-12);
  EXPECT_NEAR(chi_squared_tail(0.4, 3), 0.9402424948393607, 1e-12);
  EXPECT_EQ(chi_squared_tail(0, 3), 1);
}

}  // namespace
}  // namespace edgeprobe::stats
