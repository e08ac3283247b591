// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/model/ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "support.h"

namespace edgeprobe::diagnose::testing {
namespace {

using ::testing::HasSubstr;

const Range* named(const std::vector<Range>& ranges, const std::string& name) {
  for (const Range& range : ranges)
    if (range.name == name) return &range;
  return nullptr;
}

TEST(Ranges, TheReferencesOwnIsTheFirstAndHasNoKind) {
  const auto ranges = known_ranges(reference("resize(8x8, bilinear) | scale(-1..1)", floats(8)));
  ASSERT_FALSE(ranges.empty());
  EXPECT_EQ(ranges[0].name, "-1..1");
  EXPECT_FALSE(ranges[0].kind);
  for (std::size_t i = 1; i < ranges.size(); ++i) EXPECT_TRUE(ranges[i].kind) << ranges[i].name;
}

TEST(Ranges, EachNameIsThereOnce) {
  for (const char* const text : {"resize(8x8, bilinear) | scale(-1..1)",
                                 "resize(8x8, bilinear) | normalize(mean=[123.675, 116.28, "
                                 "103.53], std=[58.395, 57.12, 57.375])"}) {
    std::set<std::string> names;
    for (const Range& range : known_ranges(reference(text, floats(8))))
      EXPECT_TRUE(names.insert(range.name).second) << range.name;
  }
}

TEST(Ranges, LinesAreWhatTheirStepsDoToPixels) {
  const Reference r = reference("resize(8x8, bilinear) | scale(-1..1)", floats(8));
  const preprocess::Image raw = picture(8, 8);
  for (const Range& range : known_ranges(r)) {
    if (range.per_picture || range.quantize) continue;
    preprocess::Recipe made{range.steps, ""};
    const auto values = preprocess::apply(made, raw, floats(8));
    ASSERT_TRUE(values) << range.name << ": " << values.error().what;
    const auto stored = stored_as_float(*values);
    for (std::size_t i = 0; i < stored->size(); i += 17) {
      const std::size_t c = i % 3;
      const double expected = range.gain[c] * raw.pixels[i] + range.offset[c];
      EXPECT_NEAR((*stored)[i], expected, 1e-4 * std::abs(255 * range.gain[c]) + 1e-6)
          << range.name;
    }
  }
}

TEST(Ranges, OfCodesKnowOtherZeroPointsAndScales) {
  const auto ranges =
      known_ranges(reference("resize(8x8, bilinear) | scale(-1..1) | quantize(model)",
                             codes(DType::kUInt8, 8, 1 / 127.5f, 128)));
  const Range* const zero = named(ranges, "zero point 0 instead of 128");
  ASSERT_TRUE(zero);
  EXPECT_EQ(zero->kind, CauseKind::kInputQuantization);
  ASSERT_TRUE(zero->quantize);
  EXPECT_EQ(zero->quantize->zero_point, 0);
  EXPECT_TRUE(named(ranges, "the pixel bytes themselves"));
  // One code next to the reference's is more likely a decoder's bias than a fault.
  const Range* const next = named(ranges, "zero point 127 instead of 128");
  ASSERT_TRUE(next);
  EXPECT_TRUE(next->rare);
  EXPECT_FALSE(zero->rare);
}

TEST(Ranges, OfAMeanAndDeviationKnowTheirHalves) {
  const auto ranges = known_ranges(reference(
      "resize(8x8, bilinear) | normalize(mean=[10, 20, 30], std=[40, 50, 60])", floats(8)));
  EXPECT_TRUE(named(ranges, "x - (10, 20, 30), not divided by (40, 50, 60)"));
  EXPECT_TRUE(named(ranges, "x/(40, 50, 60), the mean (10, 20, 30) not subtracted"));
  EXPECT_TRUE(named(ranges, "the reference's mean and std in reverse order"));
}

TEST(Ranges, DistancesAreInGraySteps) {
  const Reference r = reference("resize(8x8, bilinear) | scale(-1..1)", floats(8));
  const Range own = known_ranges(r).front();
  Measured measured{own.gain, own.offset, {100, 100, 100}, {12000, 12000, 12000}};
  EXPECT_NEAR(distance(measured, own), 0, 1e-6);
  for (double& offset : measured.offset) offset += 3 * own.gain[0];
  EXPECT_NEAR(distance(measured, own), 3, 1e-6);
}

TEST(Ranges, NumbersWithoutANameAreARangeToo) {
  const Reference r = reference("resize(8x8, bilinear) | scale(-1..1)", floats(8));
  const Measured measured{{0.01, 0.01, 0.01}, {0.3, 0.3, 0.3}, {}, {}};
  const Range range = measured_range(measured, r);
  EXPECT_EQ(range.kind, CauseKind::kValueRange);
  EXPECT_EQ(range.gain, measured.gain);
  EXPECT_EQ(range.offset, measured.offset);
}

TEST(Ranges, MixedUpOnesAreOfThreeChannels) {
  EXPECT_GT(mixed_ranges(reference("resize(8x8, bilinear) | scale(-1..1)", floats(8))).size(),
            100u);
  const TensorSpec one{"input", DType::kFloat32, {1, 8, 8, 1}, {}};
  EXPECT_TRUE(mixed_ranges(reference("resize(8x8, bilinear) | gray | scale(-1..1)", one)).empty());
}

}  // namespace
}  // namespace edgeprobe::diagnose::testing
