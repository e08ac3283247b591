// SPDX-License-Identifier: Apache-2.0
#include "diagnose/input/integer_inputs.h"

#include <gtest/gtest.h>

#include "diagnose/input/extent.h"
#include "support.h"

namespace edgeprobe::diagnose {
namespace {

const TensorSpec kIds{"x", DType::kInt64, {1, 3}, {}};

Bytes ids(std::int64_t a, std::int64_t b, std::int64_t c) {
  return bytes_of<std::int64_t>({a, b, c});
}

TEST(IntegerDifference, CountsValuesAndFramesAndShowsTheFirst) {
  const TwoTraces traces{kIds,
                         {ids(1, 2, 3), ids(101, 9, 102), ids(7, 7, 7)},
                         {ids(1, 2, 3), ids(101, 5, 102), ids(7, 8, 9)}};
  const auto told = integer_difference(traces.study(), "x", "x", {});
  ASSERT_TRUE(told);
  ASSERT_TRUE(*told);
  const IntegerDifference& difference = **told;
  EXPECT_EQ(difference.input, "x");
  EXPECT_EQ(difference.values, 3U);
  EXPECT_EQ(difference.of_values, 9U);
  EXPECT_EQ(difference.frames, 2U);
  EXPECT_EQ(difference.of_frames, 3U);
  EXPECT_EQ(difference.frame, 1U);
  EXPECT_EQ(difference.place, 1U);
  EXPECT_EQ(difference.own, 5);
  EXPECT_EQ(difference.recorded, 9);
  const auto values = values_of(difference);
  EXPECT_EQ(values.at("target"), Value("9"));
  EXPECT_EQ(values.at("reference"), Value("5"));
  EXPECT_EQ(values.at("of"), Value(9));
}

TEST(IntegerDifference, IsNoneOfEqualIdsAndOfCodes) {
  const TwoTraces equal{kIds, {ids(1, 2, 3)}, {ids(1, 2, 3)}};
  EXPECT_FALSE(integer_difference(equal.study(), "x", "x", {}).value());
  const TensorSpec codes{"x", DType::kInt8, {1, 2}, {{0.5F}, {0}, 0}};
  const TwoTraces quantised{
      codes, {bytes_of<std::int8_t>({1, 2})}, {bytes_of<std::int8_t>({1, 3})}};
  EXPECT_FALSE(integer_difference(quantised.study(), "x", "x", {}).value());
}

TEST(IntegerDifference, SaysWhereARowEnds) {
  IntegerDifference difference;
  difference.own = 4;
  EXPECT_EQ(values_of(difference).at("target"), Value("nothing"));
}

TEST(GrayStep, IsA255thOfTheRangeOfTheReference) {
  const TwoTraces traces{kIds, {ids(1, 2, 3)}, {ids(1, 2, 3)}};
  Study study = traces.study();
  EXPECT_EQ(gray_step(study), 0) << "nothing was compared";
  compare_inputs(study, -1, 1);
  EXPECT_DOUBLE_EQ(gray_step(study), 2.0 / 255);
  study.agreement.layers[0].stage = trace::Stage::kLayer;
  EXPECT_EQ(gray_step(study), 0) << "a layer is no input";
}

TEST(SameInputSteps, GrowByHalfACodeOfAQuantisedInput) {
  trace::ReadChannel real, codes;
  codes.channel.spec.quantization.scale = {0.25F};
  // Half of 0.25 in steps of 0.125.
  EXPECT_DOUBLE_EQ(same_input_steps(codes, 0.125) - same_input_steps(real, 0.125), 1);
}

}  // namespace
}  // namespace edgeprobe::diagnose
