// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/diagnosis.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/preprocessing/answer/without_raw.h"

namespace edgeprobe::diagnose {
namespace {

using testing::HasSubstr;
using S = InputDiagnosis::Status;

/// A picture without symmetry: waves of three scales, blobs and noise; each channel differs.
preprocess::Image scene(int height, int width, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  preprocess::Image image{height, width, 3,
                          std::vector<std::uint8_t>(std::size_t(height) * width * 3)};
  std::vector<double> value(image.pixels.size(), 0);
  for (int k = 0; k < 30; ++k) {
    const double cy = unit(random) * height, cx = unit(random) * width,
                 r = (0.02 + 0.25 * unit(random)) * height;
    const double level[3] = {unit(random) * 160 - 80, unit(random) * 160 - 80,
                             unit(random) * 160 - 80};
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const double d = ((y - cy) * (y - cy) + (x - cx) * (x - cx)) / (r * r);
        if (d > 9) continue;
        for (int c = 0; c < 3; ++c)
          value[(std::size_t(y) * width + x) * 3 + c] += level[c] * std::exp(-d);
      }
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    const int y = int(i / 3) / width, x = int(i / 3) % width, c = int(i % 3);
    const double slope =
        60.0 * y / height - 40.0 * x / width + 20 * std::sin(0.9 * x + 0.7 * c) * std::sin(0.8 * y);
    image.pixels[i] = std::uint8_t(
        std::clamp(110 + 25 * c - 30 + value[i] + slope + 30 * (unit(random) - 0.5), 0.0, 255.0));
  }
  return image;
}

TensorSpec floats(int side) { return {"input", DType::kFloat32, {1, side, side, 3}, {}}; }
TensorSpec codes(DType dtype, int side, float scale, std::int64_t zero) {
  return {"input", dtype, {1, side, side, 3}, {{scale}, {zero}, 0}};
}
preprocess::Recipe recipe(const std::string& text) {
  auto parsed = preprocess::parse_recipe(text);
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().what);
  return parsed ? *parsed : preprocess::Recipe{};
}

struct Deployment {
  std::string reference;
  TensorSpec reference_input, target_input;
  int frames = 1;
};

InputDiagnosis diagnosis(const Deployment& setup, const std::string& target, int height = 190,
                         int width = 260, const std::function<void(Tensor&)>& spoil = {}) {
  std::vector<preprocess::Image> images;
  std::vector<Tensor> tensors;
  for (int i = 0; i < setup.frames; ++i) {
    images.push_back(scene(height, width, 7 + unsigned(i)));
    auto made = preprocess::apply(recipe(target), images.back(), setup.target_input);
    EXPECT_TRUE(made) << (made ? "" : made.error().what);
    if (!made) return {};
    tensors.push_back(std::move(*made));
    if (spoil) spoil(tensors.back());
  }
  std::vector<InputFrame> frames;
  for (int i = 0; i < setup.frames; ++i)
    frames.push_back({"s" + std::to_string(i), &images[i], tensors[i]});
  auto d =
      diagnose_input(frames, recipe(setup.reference), setup.reference_input, setup.target_input);
  EXPECT_TRUE(d) << (d ? "" : d.error().what);
  if (!d) return {};
  // Each explanation must reproduce the recording, also after conversion to text and back.
  if (d->status == S::kFound) {
    auto again = preprocess::apply(recipe(preprocess::to_text(d->target_recipe)), images[0],
                                   setup.target_input);
    EXPECT_TRUE(again) << preprocess::to_text(d->target_recipe);
    if (again) {
      const auto a = *stored_as_float(*again), b = *stored_as_float(tensors[0]);
      double sum = 0, spread = 0, mean = 0;
      for (float v : b) mean += v / double(b.size());
      for (std::size_t i = 0; i < a.size(); ++i) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
        spread += (b[i] - mean) * (b[i] - mean);
      }
      EXPECT_LT(sum, 2e-4 * spread) << preprocess::to_text(d->target_recipe);
    }
    // With every fault repaired, the healthy tensor comes back.
    auto repaired = preprocess::apply(d->faults.back().without_it, images[0], setup.target_input);
    auto healthy = diagnose_input({{"mended", &images[0], *repaired}}, recipe(setup.reference),
                                  setup.reference_input, setup.target_input);
    EXPECT_EQ(healthy->status, S::kEqual);
    EXPECT_LT(healthy->residual_before, 0.01);
  }
  return *d;
}

const Deployment kFloat{"resize(112x112, bilinear, like=pillow) | scale(-1..1)", floats(112),
                        floats(112)};
const Deployment kUint8{"resize(96x96, bilinear, like=opencv) | scale(-1..1) | quantize(model)",
                        codes(DType::kUInt8, 96, 1 / 127.5f, 128),
                        codes(DType::kUInt8, 96, 1 / 127.5f, 128)};
const Deployment kInt8{"crop(square) | resize(96x96, area) | scale(0..1) | quantize(model)",
                       codes(DType::kInt8, 96, 1 / 255.f, -128),
                       codes(DType::kInt8, 96, 1 / 255.f, -128)};

TEST(InputDiagnosis, AHealthyTargetHasNoFault) {
  for (const Deployment& setup : {kFloat, kUint8, kInt8}) {
    const auto d = diagnosis(setup, setup.reference);
    EXPECT_EQ(d.status, S::kEqual);
    EXPECT_EQ(d.residual_before, 0);
    EXPECT_TRUE(d.faults.empty());
  }
}

const Deployment kShortSide{
    "resize(short=128, bilinear, like=pillow) | crop(center, 112x112) | scale(-1..1)", floats(112),
    floats(112)};
const Deployment kSquareShare{
    "crop(square, 0.875) | resize(112x112, bilinear, like=pillow) | scale(-1..1)", floats(112),
    floats(112)};

struct Single {
  const Deployment* setup;
  const char* target;
  const char* kind;
  const char* detail;
};

class SingleFault : public testing::TestWithParam<Single> {};

TEST_P(SingleFault, IsNamedAlone) {
  const auto d = diagnosis(*GetParam().setup, GetParam().target);
  ASSERT_EQ(d.status, S::kFound) << d.reason;
  ASSERT_EQ(d.faults.size(), 1u) << d.faults[0].detail << " / "
                                 << (d.faults.size() > 1 ? d.faults[1].detail : "");
  EXPECT_STREQ(name(d.faults[0].kind), GetParam().kind);
  EXPECT_THAT(d.faults[0].detail, HasSubstr(GetParam().detail));
  EXPECT_FALSE(d.faults[0].fix_step.empty());
  EXPECT_LT(d.residual, 0.75);
  EXPECT_GT(d.faults[0].contribution, 0.62);
  EXPECT_FALSE(d.evidence.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, SingleFault,
    testing::Values(
        Single{&kFloat, "resize(112x112, bilinear, like=pillow) | color(bgr) | scale(-1..1)",
               "channel_order", "feeds BGR; the reference feeds RGB"},
        Single{&kFloat, "resize(112x112, bilinear, like=pillow) | gray(3) | scale(-1..1)",
               "channel_order", "three equal gray channels"},
        Single{&kFloat, "resize(112x112, bilinear, like=pillow) | scale(0..1)", "value_range",
               "pixels to 0..1; the reference to -1..1"},
        Single{&kFloat,
               "resize(112x112, bilinear, like=pillow) | normalize(mean=[123.675, 116.28, 103.53], "
               "std=[58.395, 57.12, 57.375])",
               "value_range", "ImageNet"},
        Single{&kFloat, "resize(112x112, nearest, like=opencv) | scale(-1..1)", "resize",
               "INTER_NEAREST"},
        Single{&kFloat, "resize(112x112, bilinear, like=opencv) | scale(-1..1)", "resize",
               "INTER_LINEAR"},
        Single{&kFloat, "resize(112x112, area) | scale(-1..1)", "resize", "INTER_AREA"},
        Single{&kFloat, "resize(112x112, bicubic, like=pillow) | scale(-1..1)", "resize",
               "Pillow BICUBIC"},
        Single{&kFloat,
               "crop(center, 0.875) | resize(112x112, bilinear, like=pillow) | scale(-1..1)",
               "crop", "central 87.5"},
        Single{&kFloat, "crop(square) | resize(112x112, bilinear, like=pillow) | scale(-1..1)",
               "crop", "centred square"},
        Single{&kFloat,
               "crop(9, 21, 150x200) | resize(112x112, bilinear, like=pillow) | scale(-1..1)",
               "crop", "150x200 pixels at top 9, left 21"},
        Single{&kFloat, "letterbox(112x112, bilinear, like=pillow, fill=114) | scale(-1..1)",
               "crop", "bars around the picture (fill 114)"},
        Single{&kFloat, "rotate(90) | resize(112x112, bilinear, like=pillow) | scale(-1..1)",
               "orientation", "rotated by 90° clockwise"},
        Single{&kFloat, "flip(horizontal) | resize(112x112, bilinear, like=pillow) | scale(-1..1)",
               "orientation", "mirrored left-right"},
        Single{&kFloat,
               "resize(112x112, bilinear, like=pillow) | scale(-1..1) | layout(nhwc, memory=nchw)",
               "layout", "NCHW memory; the model expects NHWC"},
        Single{
            &kUint8,
            "resize(96x96, bilinear, like=opencv) | scale(-1..1) | quantize(model, sign=flipped)",
            "input_quantization", "off by 128"},
        Single{&kUint8, "resize(96x96, bilinear, like=opencv) | scale(0..1) | quantize(model)",
               "value_range", "0..1"},
        Single{&kUint8,
               "resize(96x96, bilinear, like=opencv) | scale(-1..1) | "
               "quantize(scale=0.007843137718737125, zero_point=0)",
               "input_quantization", "zero point 0"},
        Single{&kUint8, "resize(96x96, bilinear, like=opencv) | scale(-1..1) | cast(uint8)",
               "input_quantization", "not quantised"},
        Single{
            &kFloat,
            "resize(112x112, bilinear, like=pillow) | tone(gamma=1.3, round=uint8) | scale(-1..1)",
            "tone", "gamma 1.3"},
        Single{&kUint8,
               "resize(96x96, bilinear, like=opencv) | tone(gamma=2.2, round=uint8) | scale(-1..1) "
               "| quantize(model)",
               "tone", "gamma 2.2"},
        Single{&kFloat,
               "recode(bt709, bt601, round=yuv8) | resize(112x112, bilinear, like=pillow) | "
               "scale(-1..1)",
               "color_conversion", "BT.709 and decoded by BT.601"},
        Single{&kUint8,
               "recode(bt601, bt601, chroma=swapped, round=yuv8) | resize(96x96, bilinear, "
               "like=opencv) | scale(-1..1) | quantize(model)",
               "color_conversion", "U and V exchanged"},
        Single{&kFloat,
               "recode(bt601, bt601, decode=limited, round=yuv8) | resize(112x112, bilinear, "
               "like=pillow) | scale(-1..1)",
               "color_conversion", "full-range YUV taken for limited"},
        Single{&kInt8,
               "crop(square) | resize(96x96, area) | scale(0..1) | quantize(model, sign=flipped)",
               "input_quantization", "off by 128"},
        Single{&kInt8,
               "crop(square) | resize(96x96, area) | color(bgr) | scale(0..1) | quantize(model)",
               "channel_order", "BGR"}));

// Frames pictures like torchvision and timm: a resize of the shorter side and a crop in pixels.
// First as the app's fault, then as the reference's own framing together with other faults.
const char* const kPillow112 = "resize(112x112, bilinear, like=pillow) | scale(-1..1)";
const std::string kShort128 = "resize(short=128, bilinear, like=pillow) | crop(center, 112x112)";
const std::string kSquarePillow112 = std::string("crop(square, 0.875) | ") + kPillow112;
const std::string
    kShort128Fed = kShort128 + " | scale(-1..1)",
    kShort116Fed =
        "resize(short=116, bilinear, like=pillow) | crop(center, 112x112) | scale(-1..1)";
const std::string kShort112Fed =
    "resize(short=112, bilinear, like=pillow) | crop(center, 112x112) | scale(-1..1)";
const std::string kShort128Bgr = kShort128 + " | color(bgr) | scale(-1..1)",
                  kShort128Unit = kShort128 + " | scale(0..1)";
const std::string kShort128Turned = "rotate(90) | " + kShort128Fed;
const std::string kShort128Nearest =
    "resize(short=128, nearest, like=opencv) | crop(center, 112x112) | scale(-1..1)";
const std::string kShort128Planes = kShort128Fed + " | layout(nhwc, memory=nchw)";

INSTANTIATE_TEST_SUITE_P(
    ShorterSide, SingleFault,
    testing::Values(
        Single{&kFloat, kShort128Fed.c_str(), "crop",
               "the shorter side 128 pixels, then takes the middle 112x112 pixels; the reference "
               "stretches"},
        Single{&kFloat, kShort116Fed.c_str(), "crop", "the shorter side 116 pixels"},
        Single{&kSquareShare, kShort128Fed.c_str(), "crop", "the shorter side 128 pixels"},
        Single{&kSquareShare, kShort112Fed.c_str(), "crop", "the shorter side 112 pixels"},
        Single{&kShortSide, kPillow112, "crop",
               "stretches the whole picture; the reference keeps the aspect ratio and makes the "
               "shorter side 128"},
        Single{&kShortSide, kSquarePillow112.c_str(), "crop", "takes 87.5"},
        Single{&kShortSide, kShort112Fed.c_str(), "crop", "the shorter side 112 pixels"},
        Single{&kShortSide, kShort128Bgr.c_str(), "channel_order", "BGR"},
        Single{&kShortSide, kShort128Unit.c_str(), "value_range", "0..1"},
        Single{&kShortSide, kShort128Turned.c_str(), "orientation", "rotated by 90"},
        Single{&kShortSide, kShort128Nearest.c_str(), "resize", "INTER_NEAREST"},
        Single{&kShortSide, kShort128Planes.c_str(), "layout", "NCHW memory"}));

const Deployment kMean127{"resize(112x112, bilinear, like=opencv) | normalize(mean=127, std=128)",
                          floats(112), floats(112)};

INSTANTIATE_TEST_SUITE_P(
    Gains, SingleFault,
    testing::Values(
        Single{&kFloat,
               "tone(gain=1.4, offset=-0.5, round=uint8) | resize(112x112, bilinear, like=pillow) "
               "| scale(-1..1)",
               "value_range", "1.4 x, rounded down, cut off"},
        Single{&kFloat,
               "tone(gain=0.7, offset=-0.5, round=uint8) | resize(112x112, bilinear, like=pillow) "
               "| scale(-1..1)",
               "value_range", ""},
        Single{&kFloat,
               "resize(112x112, bilinear, like=pillow) | tone(gain=2, round=uint8) | scale(-1..1)",
               "value_range", "changed to 2 x, cut off"},
        Single{&kFloat,
               "tone(gain=[2, 1, 0.6], offset=0, round=uint8) | resize(112x112, bilinear, "
               "like=pillow) | scale(-1..1)",
               "value_range", "[2, 1, 0.6] x"},
        Single{&kFloat,
               "resize(112x112, bilinear, like=pillow) | tone(gain=1, offset=90, round=uint8) | "
               "scale(-1..1)",
               "value_range", "x + 90"}));

INSTANTIATE_TEST_SUITE_P(
    Halves, SingleFault,
    testing::Values(
        Single{&kMean127, "resize(112x112, bilinear, like=opencv) | normalize(mean=127, std=1)",
               "value_range", "x - 127, not divided by 128"},
        Single{&kMean127, "resize(112x112, bilinear, like=opencv) | normalize(mean=0, std=128)",
               "value_range", "the mean 127 not subtracted"},
        Single{&kMean127, "resize(112x112, bilinear, like=opencv) | normalize(mean=126, std=1)",
               "value_range", "x*1 - 126"}));

INSTANTIATE_TEST_SUITE_P(
    Colors, SingleFault,
    testing::Values(
        Single{&kFloat,
               "resize(112x112, bilinear, like=pillow) | matrix([0.299, 0.587, 0.114, 0.49981, "
               "-0.41853, -0.08128, -0.16864, -0.33107, 0.49970], offset=[0, 128, 128], "
               "round=uint8) | scale(-1..1)",
               "channel_order", "YCrCb (OpenCV"},
        Single{&kFloat,
               "resize(112x112, bilinear, like=pillow) | matrix([0.299, 0.587, 0.114, -0.168736, "
               "-0.331264, 0.5, 0.5, -0.418688, -0.081312], offset=[0, 128, 128], round=uint8) | "
               "scale(-1..1)",
               "channel_order", "YCbCr (JPEG"},
        Single{&kFloat,
               "resize(112x112, bilinear, like=pillow) | gray(3, weights=[0.2126, 0.7152, 0.0722], "
               "round=uint8) | scale(-1..1)",
               "channel_order", "BT.709"},
        Single{&kFloat,
               "resize(112x112, bilinear, like=pillow) | gray(3, weights=[1, 0, 0]) | scale(-1..1)",
               "channel_order", "the red channel three times"}));

INSTANTIATE_TEST_SUITE_P(
    FewBits, SingleFault,
    testing::Values(Single{&kFloat,
                           "tone(rgb565) | resize(112x112, bilinear, like=pillow) | scale(-1..1)",
                           "tone", "RGB 5-6-5, the lower bits cleared"},
                    Single{&kFloat,
                           "resize(112x112, bilinear, like=pillow) | tone(rgb565) | scale(-1..1)",
                           "tone", "RGB 5-6-5, the lower bits cleared"},
                    Single{&kUint8,
                           "resize(96x96, bilinear, like=opencv) | tone(rgb565_filled) | "
                           "scale(-1..1) | quantize(model)",
                           "tone", "the upper bits repeated"}));

INSTANTIATE_TEST_SUITE_P(
    Pixels, SingleFault,
    testing::Values(
        Single{&kFloat,
               "crop(1, 1, 188x258) | resize(112x112, bilinear, like=pillow) | scale(-1..1)",
               "crop", "window of 188x258 pixels at top 1, left 1"},
        Single{&kFloat, "shift(1, 0) | resize(112x112, bilinear, like=pillow) | scale(-1..1)",
               "crop", "moves the picture down by 1 pixel (the border repeats)"},
        Single{&kFloat,
               "resize(112x112, bilinear, like=pillow) | shift(0, 1, edge=wrap) | scale(-1..1)",
               "crop", "moves the model's input right by 1 pixel (what leaves"},
        Single{&kUint8,
               "resize(96x96, bilinear, like=opencv) | shift(-1, 0, edge=black) | scale(-1..1) | "
               "quantize(model)",
               "crop", "moves the model's input up by 1 pixel (black"}));

// A matrix after a curve is neither a matrix nor a curve.
TEST(InputDiagnosis, AMatrixBehindACurveIsNotSoldAsACause) {
  const auto d = diagnosis(
      kFloat,
      "resize(112x112, bilinear, like=pillow) | tone(gamma=1.3, round=uint8) | "
      "matrix([0.7, 0.2, 0.1, 0.1, 0.8, 0.1, 0.05, 0.15, 0.8], round=uint8) | scale(-1..1)");
  EXPECT_EQ(d.status, S::kPartial);
}

TEST(InputDiagnosis, AHealthyShorterSideIsEqual) {
  for (const auto& [height, width] : {std::pair{190, 260}, {260, 190}, {201, 201}, {199, 333}}) {
    const auto d = diagnosis(kShortSide, kShortSide.reference, height, width);
    EXPECT_EQ(d.status, S::kEqual);
    EXPECT_EQ(d.residual_before, 0);
  }
}

TEST(InputDiagnosis, TwoFaultsAreBothNamedLargestFirst) {
  const auto d =
      diagnosis(kFloat, "resize(112x112, nearest, like=opencv) | color(bgr) | scale(0..1)");
  ASSERT_EQ(d.status, S::kFound);
  ASSERT_EQ(d.faults.size(), 3u);
  EXPECT_GE(d.faults[0].contribution, d.faults[1].contribution);
  EXPECT_GE(d.faults[1].contribution, d.faults[2].contribution);
  EXPECT_EQ(d.faults[2].kind, CauseKind::kResize);
}

TEST(InputDiagnosis, SeveralFramesVote) {
  Deployment five = kFloat;
  five.frames = 7;
  const auto d =
      diagnosis(five, "resize(112x112, bilinear, like=pillow) | color(bgr) | scale(-1..1)");
  ASSERT_EQ(d.status, S::kFound);
  EXPECT_EQ(d.frames_used, 7u);
  EXPECT_EQ(d.frames_agreeing, 7u);
}

TEST(InputDiagnosis, AnInt8TargetOfAFloatReferenceIsHealthy) {
  const Deployment twin{"resize(96x96, bilinear) | scale(0..1)", floats(96),
                        codes(DType::kInt8, 96, 1 / 255.f, -128)};
  const auto d = diagnosis(twin, "resize(96x96, bilinear) | scale(0..1) | quantize(model)");
  EXPECT_EQ(d.status, S::kEqual);
  EXPECT_TRUE(d.faults.empty());
  const auto bgr =
      diagnosis(twin, "resize(96x96, bilinear) | color(bgr) | scale(0..1) | quantize(model)");
  ASSERT_EQ(bgr.status, S::kFound);
  EXPECT_EQ(bgr.faults[0].kind, CauseKind::kChannelOrder);
}

TEST(InputDiagnosis, EightBitOrRealRoundingIsNoFault) {
  const auto d = diagnosis(kFloat, "resize(112x112, bilinear, antialias=on) | scale(-1..1)");
  EXPECT_EQ(d.status, S::kEqual);
  EXPECT_TRUE(d.faults.empty());
}

TEST(InputDiagnosis, AnUnknownChangeIsNotSoldAsACause) {
  // Darker corners and a curve: not a function of the pixel value only, which would be a table
  // (beyond_test.cc).
  const auto d = diagnosis(kFloat, kFloat.reference, 190, 260, [](Tensor& t) {
    auto* v = reinterpret_cast<float*>(t.bytes.data());
    for (std::size_t i = 0; i < t.bytes.size() / 4; ++i) {
      const float y = float(i / (112 * 3)) / 56 - 1, x = float(i / 3 % 112) / 56 - 1;
      v[i] = (std::abs(v[i]) > 0.3f ? 0.6f * (v[i] < 0 ? -1.f : 1.f) - v[i] : v[i]) *
             (1 - 0.4f * (x * x + y * y));
    }
  });
  EXPECT_EQ(d.status, S::kPartial);
  EXPECT_FALSE(d.reason.empty());
  for (const auto figures : {EvidenceKind::kStoredValues, EvidenceKind::kInputCorrelation,
                             EvidenceKind::kNeighbourVariance})
    EXPECT_THAT(d.evidence, testing::Contains(testing::Field(&Evidence::kind, figures)));
}

TEST(InputDiagnosis, FreeLinesBehindAnExponentAreNotSoldAsACause) {
  // A curve and lines that differ by channel fit almost anything: here one channel is zero, and the
  // others are curved.
  const auto d = diagnosis(kUint8, kUint8.reference, 190, 260, [](Tensor& t) {
    auto* v = reinterpret_cast<std::uint8_t*>(t.bytes.data());
    for (std::size_t i = 0; i < t.bytes.size(); ++i)
      v[i] =
          i % 3 == 2 ? 0 : std::uint8_t(std::lround(20 + 0.8 * 255 * std::pow(v[i] / 255.0, 1.15)));
  });
  for (const InputFault& fault : d.faults)
    EXPECT_TRUE(d.status == S::kPartial || fault.kind != CauseKind::kTone) << fault.detail;
}

TEST(InputDiagnosis, WhatCannotBeToldApartIsAnAlternative) {
  // At exactly two to one, area, box and bilinear without antialiasing all take the mean of two by
  // two.
  const Deployment half{"resize(112x112, bicubic, like=pillow) | scale(-1..1)", floats(112),
                        floats(112)};
  const auto d = diagnosis(half, "resize(112x112, area) | scale(-1..1)", 224, 224);
  ASSERT_EQ(d.status, S::kFound) << d.reason;
  ASSERT_EQ(d.faults.size(), 1u);
  EXPECT_EQ(d.faults[0].kind, CauseKind::kResize);
  std::string said = d.faults[0].detail;
  for (const auto& name : d.faults[0].alternatives) said += " / " + name;
  for (const char* name : {"area (", "box (", "bilinear (OpenCV"})
    EXPECT_THAT(said, HasSubstr(name));
  EXPECT_GE(d.faults[0].alternatives.size(), 2u);
}

TEST(InputDiagnosis, ASignBitOnCodesOfOneSideIsNamedWithTheRange) {
  const auto d = diagnosis(
      kUint8, "resize(96x96, bilinear, like=opencv) | scale(0..1) | quantize(model, sign=flipped)");
  ASSERT_EQ(d.status, S::kFound) << d.reason;
  ASSERT_EQ(d.faults.size(), 2u);
  const std::vector<CauseKind> kinds = {d.faults[0].kind, d.faults[1].kind};
  EXPECT_THAT(kinds,
              testing::UnorderedElementsAre(CauseKind::kInputQuantization, CauseKind::kValueRange));
}

TEST(InputDiagnosis, OtherPicturesAreNotExplained) {
  const auto image = scene(190, 260, 1), other = scene(190, 260, 99);
  const auto tensor = *preprocess::apply(recipe(kFloat.reference), other, floats(112));
  const auto d =
      *diagnose_input({{"a", &image, tensor}}, recipe(kFloat.reference), floats(112), floats(112));
  EXPECT_EQ(d.status, S::kPartial);
}

TEST(InputDiagnosis, GrayPicturesCannotTellTheChannelOrder) {
  auto image = scene(120, 120, 3);
  for (std::size_t i = 0; i < image.pixels.size(); i += 3)
    image.pixels[i + 1] = image.pixels[i + 2] = image.pixels[i];
  const auto tensor = *preprocess::apply(
      recipe("resize(112x112, bilinear, like=pillow) | color(bgr) | scale(0..1)"), image,
      floats(112));
  const auto d =
      *diagnose_input({{"a", &image, tensor}}, recipe(kFloat.reference), floats(112), floats(112));
  ASSERT_EQ(d.status, S::kFound);
  ASSERT_EQ(d.faults.size(), 1u);
  EXPECT_EQ(d.faults[0].kind, CauseKind::kValueRange);
  EXPECT_THAT(d.evidence, testing::Contains(Evidence{EvidenceKind::kGrayPictures}));
}

TEST(InputDiagnosis, WhatCannotBeDecidedSaysWhy) {
  const auto image = scene(120, 120, 3);
  const preprocess::Image flat{50, 50, 3, std::vector<std::uint8_t>(7500, 90)};
  const auto healthy = *preprocess::apply(recipe(kFloat.reference), image, floats(112));
  const auto r = recipe(kFloat.reference);
  EXPECT_EQ(diagnose_input({}, r, floats(112), floats(112))->status, S::kUndecidable);
  EXPECT_THAT(diagnose_input({{"a", &image, healthy}}, r, floats(96), floats(112))->reason,
              HasSubstr("differ in size"));
  EXPECT_THAT(diagnose_input({{"a", &flat, healthy}}, r, floats(112), floats(112))->reason,
              HasSubstr("one colour"));
  auto broken = healthy;
  const float nan = NAN;
  std::memcpy(broken.bytes.data() + 400, &nan, 4);
  EXPECT_THAT(diagnose_input({{"a", &image, broken}}, r, floats(112), floats(112))->reason,
              HasSubstr("NaN"));
  auto constant = healthy;
  std::fill(constant.bytes.begin(), constant.bytes.end(), std::byte{0});
  EXPECT_THAT(diagnose_input({{"a", &image, constant}}, r, floats(112), floats(112))->reason,
              HasSubstr("constant"));
}

TEST(InputDiagnosis, TinyInputsDoNotBreakTheSearch) {
  for (int side : {1, 2, 4, 8}) {
    const auto image = scene(40, 30, 5);
    const auto text = std::to_string(side) + "x" + std::to_string(side);
    const auto tensor =
        *preprocess::apply(recipe("resize(" + text + ", area) | scale(0..1)"), image, floats(side));
    const auto d = diagnose_input({{"a", &image, tensor}},
                                  recipe("resize(" + text + ", bilinear) | scale(-1..1)"),
                                  floats(side), floats(side));
    ASSERT_TRUE(d);
    EXPECT_NE(d->status, S::kEqual);
  }
}

TEST(WithoutRaw, SaysRangeOrderAndSign) {
  const auto image = scene(190, 260, 7);
  const auto pixels = *preprocess::apply(
      recipe("resize(112x112, bilinear, like=pillow) | scale(-1..1) | layout(nhwc, memory=nchw)"),
      image, floats(112));
  const auto said = describe_without_raw({pixels});
  EXPECT_THAT(said, testing::Contains(HasSubstr("-1..1")));
  EXPECT_THAT(said, testing::Contains(HasSubstr("memory order may be the other one")));
  const auto flipped = *preprocess::apply(
      recipe("resize(96x96, bilinear, like=opencv) | scale(-1..1) | quantize(model, sign=flipped)"),
      image, kUint8.target_input);
  EXPECT_THAT(describe_without_raw({flipped}), testing::Contains(HasSubstr("sign bit")));
}

}  // namespace
}  // namespace edgeprobe::diagnose
