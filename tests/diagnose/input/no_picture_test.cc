// SPDX-License-Identifier: Apache-2.0
#include "diagnose/input/search/no_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support.h"

namespace edgeprobe::diagnose {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const TensorSpec kFour{"x", DType::kFloat32, {1, 4}, {}};
const Bytes kPicture = bytes_of<float>({0, 1, 0.25F, 0.75F});

Bytes all(float value) { return bytes_of<float>({value, value, value, value}); }

NoPicture found(const TwoTraces& traces) {
  const auto result = no_picture(traces.study(), {});
  EXPECT_TRUE(result) << result.error().what;
  return *result;
}

TEST(NoPicture, OneValueEverywhereIsToldWithItsFramesAndDistance) {
  const NoPicture none =
      found({kFour, {kPicture, all(0.5F), kPicture}, {kPicture, kPicture, kPicture}});
  EXPECT_THAT(none.frames, ElementsAre(1));
  EXPECT_EQ(none.all, 3U);
  EXPECT_FALSE(none.everywhere());
  EXPECT_TRUE(none.holds(1));
  EXPECT_FALSE(none.holds(2));
  ASSERT_EQ(none.faults.size(), 1U);
  EXPECT_EQ(none.faults[0].kind, CauseKind::kEmptyInput);
  EXPECT_EQ(none.faults[0].detail,
            "nothing of the picture arrives: the model input is 0.5 everywhere in 1 of 3 frames; "
            "the reference's is not");
  EXPECT_THAT(none.faults[0].alternatives,
              ElementsAre("the input buffer was not written, or another one was handed over"));
  // Off by 1/2, 1/2, 1/4 and 1/4 of the reference's range.
  EXPECT_NEAR(none.residual, 255 * std::sqrt((0.25 + 0.25 + 0.0625 + 0.0625) / 4), 1e-4);
}

TEST(NoPicture, ZerosMayBePixelsThatWereDividedAsIntegers) {
  const NoPicture none = found({kFour, {all(0)}, {kPicture}});
  EXPECT_TRUE(none.everywhere());
  EXPECT_THAT(none.faults.at(0).alternatives,
              ElementsAre("the input buffer was not written, or another one was handed over",
                          "pixels divided by 255 in whole numbers"));
}

TEST(NoPicture, ACodeIsToldWithTheRealValueThatItStandsFor) {
  const TensorSpec codes{"x", DType::kInt8, {1, 4}, {{0.5F}, {-2}, 0}};
  const NoPicture none = found(
      {codes, {bytes_of<std::int8_t>({0, 0, 0, 0})}, {bytes_of<std::int8_t>({-128, 127, 5, 6})}});
  // 0.5 · (0 + 2) = 1
  EXPECT_EQ(none.faults.at(0).detail,
            "nothing of the picture arrives: the model input is code 0 (1) everywhere in 1 of 1 "
            "frame; the reference's is not");
  EXPECT_EQ(none.faults[0].alternatives.at(1),
            "real values between -1 and 1 cast to integers, without the model's scale and zero "
            "point");
}

TEST(NoPicture, ACodeMayBeWhatIsLeftOfOtherValues) {
  const TensorSpec codes{"x", DType::kInt8, {1, 4}, {{0.5F}, {-2}, 0}};
  const auto other = [&](std::int8_t code) {
    const NoPicture none = found({codes,
                                  {bytes_of<std::int8_t>({code, code, code, code})},
                                  {bytes_of<std::int8_t>({-128, 127, 5, 6})}});
    return none.faults.at(0).alternatives.back();
  };
  // 0.5 · (-128 + 2) and 0.5 · (127 + 2)
  EXPECT_EQ(other(127), "values beyond the codes' range, -63..64.5");
  EXPECT_EQ(other(-128), "values beyond the codes' range, -63..64.5");
  EXPECT_EQ(other(-2), "values too small for the codes' step of 0.5");
  EXPECT_EQ(other(5), "the input buffer was not written, or another one was handed over");
}

TEST(NoPicture, ValuesThatAreNotFiniteAreCountedAndNamedByTheirChannel) {
  const TensorSpec rgb{"x", DType::kFloat32, {1, 1, 2, 3}, {}};
  const Bytes good = bytes_of<float>({0, 1, 2, 3, 4, 5});
  const NoPicture none =
      found({rgb, {good, bytes_of<float>({0, 1, 2, 3, 4, std::nanf("")})}, {good, good}});
  EXPECT_THAT(none.frames, ElementsAre(1));
  ASSERT_EQ(none.faults.size(), 1U);
  EXPECT_EQ(none.faults[0].kind, CauseKind::kNonFiniteInput);
  EXPECT_EQ(none.faults[0].detail,
            "the app feeds NaN in channel 2 of 1 of 2 frames (1 of 6 values); the reference feeds "
            "finite values");
  const NoPicture both =
      found({kFour, {bytes_of<float>({std::nanf(""), HUGE_VALF, 0, -HUGE_VALF})}, {kPicture}});
  EXPECT_EQ(both.faults.at(0).detail,
            "the app feeds NaN and infinity of 1 of 1 frame (3 of 4 values); the reference feeds "
            "finite values");
}

TEST(NoPicture, NothingIsSaidWhereTheReferenceIsNoBetter) {
  EXPECT_THAT(found({kFour, {all(0)}, {all(1)}}).faults, IsEmpty());
  const Bytes nan = bytes_of<float>({0, 1, 2, std::nanf("")});
  EXPECT_THAT(found({kFour, {nan}, {nan}}).frames, IsEmpty());
  EXPECT_THAT(found({kFour, {kPicture}, {all(1)}}).frames, IsEmpty());
}

TEST(NoPicture, IsEvidenceThatHoldsForItsFramesAlone) {
  const TwoTraces traces{kFour, {kPicture, all(0), kPicture}, {kPicture, kPicture, kPicture}};
  const Study study = traces.study();
  const InputEvidence evidence = evidence_of(found(traces), study);
  EXPECT_THAT(evidence.not_with, ElementsAre(0, 2));
  ASSERT_TRUE(evidence.diagnosis);
  EXPECT_EQ(evidence.diagnosis->frames_used, 3U);
  EXPECT_EQ(evidence.diagnosis->frames_agreeing, 1U);
}

}  // namespace
}  // namespace edgeprobe::diagnose
