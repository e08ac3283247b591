// SPDX-License-Identifier: Apache-2.0
#include "diagnose/fix/smallest_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/control.h"

namespace edgeprobe::fix {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A model that is right if it keeps all of `needed`; counts the queries.
struct Model {
  std::set<int> needed;
  std::vector<std::vector<int>> asked{};
  Try trial() {
    return [this](const std::vector<int>& layers) -> Result<bool> {
      asked.push_back(layers);
      return std::includes(layers.begin(), layers.end(), needed.begin(), needed.end());
    };
  }
};

TEST(SmallestSet, IsTheFirstSuspectWhereThatIsEnough) {
  Model model{{7}};
  const auto found = smallest_set({7, 3, 5}, 24, model.trial());
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->enough);
  EXPECT_TRUE(found->smallest);
  EXPECT_THAT(found->layers, ElementsAre(7));
  EXPECT_EQ(found->tries, 1u);
}

TEST(SmallestSet, LeavesOutWhatIsNotNeeded) {
  Model model{{2, 9}};
  const auto found = smallest_set({9, 4, 6, 8, 2, 1, 0, 3}, 24, model.trial());
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->enough);
  EXPECT_TRUE(found->smallest);
  EXPECT_THAT(found->layers, ElementsAre(2, 9));
  EXPECT_LE(found->tries, 12u);
}

TEST(SmallestSet, FindsEveryPairOfTenSuspects) {
  const std::vector<int> order{5, 1, 9, 0, 7, 2, 8, 3, 6, 4};
  for (int a = 0; a < 10; ++a)
    for (int b = a + 1; b < 10; ++b) {
      Model model{{a, b}};
      const auto found = smallest_set(order, 100, model.trial());
      ASSERT_TRUE(found);
      EXPECT_THAT(found->layers, ElementsAre(a, b));
      EXPECT_TRUE(found->smallest);
    }
}

TEST(SmallestSet, SaysThatNothingIsEnough) {
  Model model{{42}};
  const auto found = smallest_set({1, 2, 3}, 24, model.trial());
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->enough);
  EXPECT_FALSE(found->smallest);
  EXPECT_THAT(found->layers, ElementsAre(1, 2, 3));
  EXPECT_THAT(model.asked.back(), ElementsAre(1, 2, 3));
}

TEST(SmallestSet, EndsAfterSoManyTriesAndSaysSo) {
  Model model{{0, 15}};
  std::vector<int> order(16);
  for (int i = 0; i < 16; ++i) order[static_cast<std::size_t>(i)] = i;
  const auto found = smallest_set(order, 8, model.trial());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->tries, 8u);
  EXPECT_TRUE(found->enough);
  EXPECT_FALSE(found->smallest);
  EXPECT_TRUE(std::includes(found->layers.begin(), found->layers.end(), model.needed.begin(),
                            model.needed.end()));
}

TEST(SmallestSet, TriesNothingWithoutSuspects) {
  Model model{{1}};
  const auto found = smallest_set({}, 24, model.trial());
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->enough);
  EXPECT_THAT(found->layers, IsEmpty());
  EXPECT_THAT(model.asked, IsEmpty());
}

TEST(SmallestSet, PassesOnAFailure) {
  const auto found = smallest_set(
      {1, 2}, 24, [](const std::vector<int>&) -> Result<bool> { return interrupted(); });
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::kInterrupted);
}

TEST(ShrunkSet, LeavesOutEachLayerThatIsNotNeeded) {
  std::vector<int> kept;
  for (int i = 0; i < 16; ++i) kept.push_back(i);
  for (const std::set<int>& needed : {std::set<int>{3}, {0, 15}, {2, 9, 12}, {}}) {
    Model model{needed};
    const auto found = shrunk_set(kept, 100, model.trial());
    ASSERT_TRUE(found);
    EXPECT_EQ(std::set<int>(found->layers.begin(), found->layers.end()),
              needed.empty() ? std::set<int>{0} : needed);
    EXPECT_TRUE(found->smallest);
    for (const auto& asked : model.asked) EXPECT_THAT(asked, testing::Not(IsEmpty()));
  }
}

TEST(ShrunkSet, SaysThatTheSearchWasEnded) {
  Model model{{1, 4}};
  const auto found = shrunk_set({0, 1, 2, 3, 4, 5, 6, 7}, 2, model.trial());
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->smallest);
  EXPECT_EQ(found->tries, 2u);
  EXPECT_TRUE(std::includes(found->layers.begin(), found->layers.end(), model.needed.begin(),
                            model.needed.end()));
}

}  // namespace
}  // namespace edgeprobe::fix
