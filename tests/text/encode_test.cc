// SPDX-License-Identifier: Apache-2.0
#include "text/encode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace edgeprobe::text {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Ids = std::vector<std::int64_t>;

FrontEnd bert(std::int64_t length) {
  FrontEnd f;
  f.special.first = 1;
  f.special.last = 2;
  f.truncate = Truncate{length};
  f.pad = Pad{length, 0};
  f.mask.emplace();
  f.types.emplace();
  return f;
}

TEST(Encode, PutsSpecialIdsAroundATextAndFillsTheRow) {
  const Encoding row = encode(bert(6), {{7, 8}});
  EXPECT_THAT(row.ids, ElementsAre(1, 7, 8, 2, 0, 0));
  EXPECT_THAT(row.mask, ElementsAre(1, 1, 1, 1, 0, 0));
  EXPECT_THAT(row.types, ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_TRUE(row.positions.empty());
}

TEST(Encode, CutsTheLongerTextOfAPairFirst) {
  // 8 places, 3 special ids: 5 are left; the shorter text keeps up to 2 of them.
  const Encoding row = encode(bert(8), {{11, 12, 13}, {21, 22, 23, 24}});
  EXPECT_THAT(row.ids, ElementsAre(1, 11, 12, 2, 21, 22, 23, 2));
  EXPECT_THAT(row.types, ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
  EXPECT_THAT(encode(bert(8), {{11}, {21, 22, 23, 24, 25}}).ids,
              ElementsAre(1, 11, 2, 21, 22, 23, 24, 2));
}

TEST(Encode, CutsAndFillsOnTheLeftWhenToldSo) {
  FrontEnd f = bert(5);
  f.truncate->side = f.pad->side = Side::kLeft;
  EXPECT_THAT(encode(f, {{7, 8, 9, 10}}).ids, ElementsAre(1, 8, 9, 10, 2));
  EXPECT_THAT(encode(f, {{7}}).ids, ElementsAre(0, 0, 1, 7, 2));
  EXPECT_THAT(encode(f, {{7}}).mask, ElementsAre(0, 0, 1, 1, 1));
}

TEST(Encode, CutsSpecialIdsOffWhereTheFaultDoes) {
  FrontEnd f = bert(4);
  f.truncate->cuts_special = true;
  EXPECT_THAT(encode(f, {{7, 8, 9, 10}}).ids, ElementsAre(1, 7, 8, 9));
}

TEST(Encode, CountsPositionsByPlaceOrByToken) {
  FrontEnd f = bert(5);
  f.positions = Positions{2, std::nullopt};
  EXPECT_THAT(encode(f, {{7}}).positions, ElementsAre(2, 3, 4, 5, 6));
  f.positions->padding = 1;
  EXPECT_THAT(encode(f, {{7}}).positions, ElementsAre(2, 3, 4, 1, 1));
}

TEST(Encode, ReadsIdsOf64BitsAs32) {
  FrontEnd f = bert(6);
  f.memory = Memory::kPairs;
  EXPECT_THAT(encode(f, {{7, 8}}).ids, ElementsAre(1, 0, 7, 0, 8, 0));
}

TEST(Encode, HasNoTokenWithoutAText) {
  EXPECT_THAT(encode(bert(3), {{}}).ids, ElementsAre(1, 2, 0));
  EXPECT_THAT(encode(bert(3), {}).ids, ElementsAre(1, 2, 0));
  EXPECT_THAT(encode(bert(1), {{7}}).ids, ElementsAre(1));
}

TEST(Roles, AreReadFromTheNamesOfInputs) {
  const FrontEnd f = bert(4);
  const auto roles = roles_of({"serving_default_segment_ids:0", "Input_Mask", "word_ids"}, f);
  ASSERT_TRUE(roles) << roles.error().what;
  EXPECT_THAT(*roles, ElementsAre(Role::kTypes, Role::kMask, Role::kIds));
  EXPECT_THAT(*roles_of({"segment_ids"}, FrontEnd{}), ElementsAre(Role::kIds));
}

TEST(Roles, AreRefusedWhereAnInputIsLeftOrMissing) {
  FrontEnd f = bert(4);
  EXPECT_THAT(roles_of({"ids", "mask"}, f).error().what, HasSubstr("no input for it"));
  EXPECT_THAT(roles_of({"ids", "mask", "types", "position_ids"}, f).error().what,
              HasSubstr("'position_ids' is given by nothing: add positions"));
  EXPECT_THAT(roles_of({"a", "b", "mask"}, f).error().what, HasSubstr("both look like ids"));
  f.mask_input = "nothing";
  EXPECT_THAT(roles_of({"ids", "mask", "types"}, f).error().what, HasSubstr("has none"));
}

TEST(AsTensor, FitsOpenRowsAndRefusesWhatDoesNotFit) {
  const TensorSpec open{"ids", DType::kInt32, {-1, -1}, {}};
  const auto tensor = as_tensor({5, 6, 7}, open);
  ASSERT_TRUE(tensor) << tensor.error().what;
  EXPECT_EQ(tensor->spec.shape, (Shape{1, 3}));
  EXPECT_THAT(*integers_of(*tensor), ElementsAre(5, 6, 7));
  EXPECT_THAT(as_tensor({5, 6}, {"ids", DType::kInt64, {1, 4}, {}}).error().what,
              HasSubstr("pad(4)"));
  EXPECT_THAT(as_tensor({300}, {"ids", DType::kUInt8, {1}, {}}).error().what,
              HasSubstr("cannot hold 300"));
  EXPECT_THAT(as_tensor({1}, {"ids", DType::kInt64, {1, 1, 1}, {}}).error().what,
              HasSubstr("[length] or [1, length]"));
}

TEST(IntegersOf, TakesWholeNumbersOfEveryTypeAndNoOther) {
  EXPECT_THAT(*integers_of(make_tensor("ids", {2}, {3, -1})), ElementsAre(3, -1));
  EXPECT_FALSE(integers_of(make_tensor("ids", {1}, {2.5f})));
}

}  // namespace
}  // namespace edgeprobe::text
