// SPDX-License-Identifier: Apache-2.0
#include "stats/association.h"

#include <vector>

#include <gtest/gtest.h>

namespace edgeprobe::stats {
namespace {

using Counts = std::vector<CategoryCount>;

// scipy 1.17.1: stats.fisher_exact(table), stats.contingency.association(table).
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

// Python: all tables with these margins by itertools.product, in fractions; scipy's Monte Carlo
// gives .0432.
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

// scipy 1.17.1: stats.chi2.sf(value, degrees).
TEST(Association, ChiSquaredTailIsSciPys) {
  EXPECT_NEAR(chi_squared_tail(3.2, 1), 0.07363827012030258, 1e-12);
  EXPECT_NEAR(chi_squared_tail(7.5, 2), 0.023517745856009114, 1e-12);
  EXPECT_NEAR(chi_squared_tail(11.1, 5), 0.0494329339438485, 1e-12);
  EXPECT_NEAR(chi_squared_tail(0.4, 3), 0.9402424948393607, 1e-12);
  EXPECT_EQ(chi_squared_tail(0, 3), 1);
}

}  // namespace
}  // namespace edgeprobe::stats
