// SPDX-License-Identifier: Apache-2.0
#include "preprocess/decode/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "preprocess/recipe/recipe.h"

namespace edgeprobe::preprocess {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Bytes grays(std::size_t size, int value = 128) { return Bytes(size, std::byte(value)); }

std::vector<std::string> steps(const Source& source, bool faults) {
  std::vector<std::string> out;
  for (const Reading& reading : alternative_readings(source))
    if (reading.can_be_fault == faults) out.push_back(reading.step);
  return out;
}

YuvFrame frame_of(int width, int height, int stride = 0) {
  YuvFrame frame;
  frame.width = width;
  frame.height = height;
  frame.stride = stride;
  return frame;
}

TEST(Readings, OfATightFrameAreColoursAndLayouts) {
  const Bytes bytes = grays(64 * 48 * 3 / 2);
  const Source source{bytes, frame_of(64, 48)};
  EXPECT_THAT(steps(source, true),
              testing::ElementsAre("decode(nv21)", "decode(i420)", "decode(yv12)",
                                   "decode(matrix=bt709)", "decode(range=full)"));
  EXPECT_THAT(steps(source, false),
              testing::ElementsAre("decode(arithmetic=opencv)", "decode(arithmetic=shift10)"));
}

TEST(Readings, OfAPaddedAndTurnedFrameAddItsStrideAndItsTurn) {
  const Bytes bytes = grays(80 * 72);
  YuvFrame frame = frame_of(64, 48, 80);
  frame.rotation = 90;
  const auto found = steps({bytes, frame}, true);
  EXPECT_THAT(found, Contains("decode(stride=ignored)"));
  EXPECT_THAT(found, Contains("decode(stride=ignored_in_planes)"));
  EXPECT_THAT(found, Contains("decode(orientation=applied)"));
}

TEST(Readings, EachCanBeReadAndIsAParsableStep) {
  const Bytes bytes = grays(80 * 72);
  YuvFrame frame = frame_of(64, 48, 80);
  for (const YuvLayout layout :
       {YuvLayout::kNv12, YuvLayout::kNv21, YuvLayout::kI420, YuvLayout::kYv12}) {
    frame.layout = layout;
    const Source source{bytes, frame};
    const auto readings = alternative_readings(source);
    ASSERT_GE(readings.size(), 8u);
    for (const Reading& reading : readings) {
      const auto decoded = read(source, reading.how);
      ASSERT_TRUE(decoded) << reading.step << ": " << decoded.error().what;
      EXPECT_EQ(decoded->image.pixels.size(), 64u * 48 * 3);
      const auto recipe = parse_recipe(reading.step + " | color(rgb)");
      ASSERT_TRUE(recipe) << recipe.error().what;
      EXPECT_EQ(*decode_step(*recipe), reading.how);
    }
  }
}

TEST(Readings, ADamagedOrCutFrameHasNone) {
  const Bytes bytes = grays(64 * 48 * 3 / 2 - 1);
  EXPECT_THAT(alternative_readings({bytes, frame_of(64, 48)}), IsEmpty());
  EXPECT_THAT(alternative_readings({bytes, frame_of(-1, 48)}), IsEmpty());
  EXPECT_THAT(alternative_readings({bytes, std::nullopt}), IsEmpty());
}

TEST(Readings, OfPicturesFollowWhatTheyHold) {
  const Bytes png = *encode_png({2, 2, 3, std::vector<std::uint8_t>(12, 7)});
  EXPECT_THAT(steps({png, std::nullopt}, true), IsEmpty());
  EXPECT_THAT(steps({png, std::nullopt}, false), IsEmpty());
}

TEST(Read, RefusesOptionsOfOtherKindsOfBytes) {
  const Bytes png = *encode_png({2, 2, 3, std::vector<std::uint8_t>(12, 7)});
  Decode swapped;
  swapped.layout = YuvLayout::kNv21;
  const auto wrong = read({png, std::nullopt}, swapped);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(wrong.error().what, HasSubstr("camera frames"));
}

TEST(Read, AReadingThatWouldReachPastTheBytesIsRefused) {
  // With an odd stride, two planes of (stride + 1) / 2 bytes per row take more than pairs of
  // `stride`.
  const Bytes bytes = grays(65 * 72);
  YuvFrame frame = frame_of(64, 48, 65);
  const Source source{bytes, frame};
  Decode planar;
  planar.layout = YuvLayout::kI420;
  const auto read_so = read(source, planar);
  ASSERT_FALSE(read_so);
  EXPECT_EQ(read_so.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(steps(source, true), Not(Contains("decode(i420)")));
}

TEST(Yuv, WhiteBlackAndGrayAreTheirLimits) {
  for (const YuvRange range : {YuvRange::kLimited, YuvRange::kFull}) {
    const bool limited = range == YuvRange::kLimited;
    for (const auto& [luma, expected] :
         {std::pair(limited ? 235 : 255, 255), std::pair(limited ? 16 : 0, 0)}) {
      Bytes bytes = grays(6);
      std::fill_n(bytes.begin(), 4, std::byte(luma));
      YuvFrame frame = frame_of(2, 2);
      frame.range = range;
      const auto image = decode_yuv(bytes, frame);
      ASSERT_TRUE(image);
      EXPECT_THAT(image->pixels, testing::Each(expected));
    }
  }
}

TEST(DecodeStep, TextsReadBackAndItComesFirst) {
  for (const std::string text :
       {"decode", "decode(nv21)", "decode(i420, matrix=bt709, range=full, stride=ignored)",
        "decode(stride=ignored_in_planes, arithmetic=shift10)", "decode(arithmetic=opencv)",
        "decode(scale=1/2, upsampling=plain, dct=fast)", "decode(depth=rounded, alpha=white)",
        "decode(depth=clipped, alpha=black)",
        "decode(matrix=bt601, range=limited, orientation=applied)"}) {
    const auto recipe = parse_recipe(text + " | gray");
    ASSERT_TRUE(recipe) << recipe.error().what;
    EXPECT_EQ(to_text(*recipe), text + " | gray");
    EXPECT_EQ(to_text(without_decode(*recipe)), "gray");
    EXPECT_THAT(meaning(recipe->steps[0]), HasSubstr("decodes"));
  }
  EXPECT_THAT(parse_recipe("gray | decode(nv21)").error().what, HasSubstr("put it first"));
  EXPECT_THAT(parse_recipe("decode(nv31)").error().what, HasSubstr("did you mean \"nv21\""));
  EXPECT_THAT(parse_recipe("decode(scale=1/3)").error().what, HasSubstr("1/2"));
  EXPECT_EQ(decode_step(*parse_recipe("gray")), nullptr);
}

TEST(DecodeStep, NeedsTheBytes) {
  const Image image{1, 1, 3, {1, 2, 3}};
  const auto tensor = apply(*parse_recipe("decode(nv21) | scale(0..1)"), image,
                            {"input", DType::kFloat32, {1, 1, 1, 3}, {}});
  ASSERT_FALSE(tensor);
  EXPECT_EQ(tensor.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(tensor.error().what, HasSubstr("recorded bytes"));
}

}  // namespace
}  // namespace edgeprobe::preprocess
