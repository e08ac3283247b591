// SPDX-License-Identifier: Apache-2.0
// What a finding leaves open, and frames that are made up.
#include "search/deciding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "search/made_up.h"

namespace edgeprobe::search {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Explanation<int> explained_by(int number, bool is_proven) {
  Explanation<int> out;
  out.changes.push_back({1, 1, "", [number](int& recipe) { recipe = number; }, 0});
  out.is_proven = is_proven;
  return out;
}

TEST(OpenRecipes, AreThoseThatFitAsWell) {
  Finding<int> found;
  found.status = SearchStatus::kExact;
  found.explanations = {explained_by(4, true)};
  EXPECT_THAT(open_recipes(found, 0), IsEmpty());
  found.explanations = {explained_by(4, false)};
  EXPECT_THAT(open_recipes(found, 0), ElementsAre(4, 0));
  found.explanations = {explained_by(4, true), explained_by(5, true)};
  EXPECT_THAT(open_recipes(found, 0), ElementsAre(4, 5));
  found.status = SearchStatus::kPartial;
  EXPECT_THAT(open_recipes(found, 0), IsEmpty());
}

TEST(StoredNumbers, AreClampedToTheirType) {
  Tensor tensor = make_tensor("x", {2}, {0.0f, 0.0f});
  StoredNumbers real(tensor);
  real[0] = 2.5f;
  EXPECT_THAT(*stored_as_float(real.tensor()), ElementsAre(2.5f, 0.0f));
  tensor.spec.dtype = DType::kInt8;
  tensor.bytes.resize(2);
  StoredNumbers codes(tensor);
  EXPECT_FALSE(codes.are_real());
  codes[0] = 300, codes[1] = -300;
  EXPECT_THAT(*stored_as_float(codes.tensor()), ElementsAre(127.0f, -128.0f));
}

TEST(Scattered, StaysWithinOneAndRepeatsNothing) {
  for (std::size_t k = 0; k < 50; ++k) {
    EXPECT_GE(scattered(k), 0);
    EXPECT_LT(scattered(k), 1);
    EXPECT_NE(scattered(k), scattered(k + 1));
  }
}

}  // namespace
}  // namespace edgeprobe::search
