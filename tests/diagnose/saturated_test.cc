// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/preprocessing/diagnosis.h"

namespace edgeprobe::diagnose {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using S = InputDiagnosis::Status;

constexpr int kSide = 40;

// Patches of all gray levels; many are black or white.
preprocess::Image picture(unsigned seed, int least = 0) {
  std::mt19937 random(seed);
  preprocess::Image image{kSide, kSide, 3, std::vector<std::uint8_t>(kSide * kSide * 3)};
  for (int y = 0; y < kSide; y += 4)
    for (int x = 0; x < kSide; x += 4)
      for (int c = 0; c < 3; ++c) {
        const unsigned drawn = random() % 8,
                       level = std::max(drawn == 0   ? 0U
                                        : drawn == 1 ? 255U
                                                     : unsigned(random() % 256),
                                        unsigned(least));
        for (int i = 0; i < 16; ++i)
          image.pixels[std::size_t(((y + i / 4) * kSide + x + i % 4) * 3 + c)] =
              std::uint8_t(level);
      }
  return image;
}

struct Input {
  DType dtype;
  float scale;
  std::int64_t zero;
  const char* recipe;  // Its correct pre-processing.
};
constexpr Input kSigned{DType::kInt8, 1 / 127.5F, -1, "scale(-1..1) | quantize(model)"},
    kUnit{DType::kUInt8, 1 / 255.F, 0, "scale(0..1) | quantize(model)"};

TensorSpec spec_of(const Input& input) {
  return {"x", input.dtype, {1, kSide, kSide, 3}, {{input.scale}, {input.zero}, 0}};
}

using Curve = std::function<double(double)>;

// The input of an app that maps each pixel by `curve` before it quantises.
Tensor fed(const Input& input, const preprocess::Image& image, const Curve& curve) {
  Tensor tensor{spec_of(input), Bytes(image.pixels.size())};
  const double low = input.dtype == DType::kInt8 ? -128 : 0;
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    const double code =
        std::nearbyint(curve(image.pixels[i]) / double(input.scale) + double(input.zero));
    tensor.bytes.data()[i] = std::byte(std::uint8_t(int(std::clamp(code, low, low + 255))));
  }
  return tensor;
}

InputDiagnosis diagnosis(const Input& input, const std::vector<preprocess::Image>& images,
                         const std::vector<Tensor>& tensors) {
  std::vector<InputFrame> frames;
  for (std::size_t i = 0; i < images.size(); ++i)
    frames.push_back({std::to_string(i), &images[i], tensors[i]});
  auto parsed = preprocess::parse_recipe(input.recipe);
  auto found = diagnose_input(frames, *parsed, spec_of(input), spec_of(input));
  EXPECT_TRUE(found) << (found ? "" : found.error().what);
  return found ? *found : InputDiagnosis{};
}

InputDiagnosis diagnosis(const Input& input, const Curve& curve, int least = 0) {
  std::vector<preprocess::Image> images;
  std::vector<Tensor> tensors;
  for (unsigned i = 0; i < 3; ++i) images.push_back(picture(i + 1, least));
  for (const auto& image : images) tensors.push_back(fed(input, image, curve));
  return diagnosis(input, images, tensors);
}

double unit(double x) { return x / 255; }
double centred(double x) { return x / 127.5 - 1; }

struct Row {
  const Input* input;
  Curve curve;
  const char* says;
};

TEST(Saturated, TheRangeThatTheCodesCutOffIsNamed) {
  const Row rows[] = {
      {&kSigned, [](double x) { return x; }, "to 0..255; the reference to -1..1"},
      {&kSigned, [](double x) { return centred(centred(x)); }, "-1..1 applied twice"},
      {&kSigned, [](double x) { return x - 128; }, "by x - 128"},
      {&kUnit, [](double x) { return x; }, "to 0..255; the reference to 0..1"},
      {&kUnit, [](double x) { return unit(unit(x)); }, "0..1 applied twice"},
      {&kUnit, [](double x) { return x - 128; }, "by x - 128"},
  };
  for (const Row& row : rows) {
    const auto found = diagnosis(*row.input, row.curve);
    ASSERT_EQ(found.status, S::kFound) << row.says << ": " << found.reason;
    ASSERT_EQ(found.faults.size(), 1U) << row.says;
    EXPECT_EQ(found.faults[0].kind, CauseKind::kValueRange) << row.says;
    EXPECT_THAT(found.faults[0].detail, HasSubstr(row.says));
    EXPECT_TRUE(found.is_saturated);
    EXPECT_EQ(found.frames_agreeing, 3U);
  }
}

// The picture with the value of each place taken from another: [y, x, c].
using Place = std::array<int, 3>;
preprocess::Image placed(const preprocess::Image& image, const std::function<Place(Place)>& from) {
  preprocess::Image out = image;
  for (int y = 0; y < kSide; ++y)
    for (int x = 0; x < kSide; ++x)
      for (int c = 0; c < 3; ++c) {
        const auto [sy, sx, sc] = from({y, x, c});
        out.pixels[std::size_t((y * kSide + x) * 3 + c)] =
            image.pixels[std::size_t((sy * kSide + sx) * 3 + sc)];
      }
  return out;
}

InputDiagnosis diagnosis_of_placed(const std::function<Place(Place)>& from) {
  std::vector<preprocess::Image> images;
  std::vector<Tensor> tensors;
  for (unsigned i = 0; i < 3; ++i) {
    images.push_back(picture(i + 1));
    tensors.push_back(fed(kSigned, placed(images.back(), from), [](double x) { return x; }));
  }
  return diagnosis(kSigned, images, tensors);
}

TEST(Saturated, AMirrorAndExchangedChannelsAreNamedWithTheRange) {
  const auto mirrored = diagnosis_of_placed([](Place p) {
    return Place{p[0], kSide - 1 - p[1], p[2]};
  });
  ASSERT_EQ(mirrored.status, S::kFound) << mirrored.reason;
  ASSERT_EQ(mirrored.faults.size(), 2U);
  EXPECT_THAT(mirrored.faults[0].detail, HasSubstr("to 0..255; the reference to -1..1"));
  EXPECT_THAT(mirrored.faults[1].detail, HasSubstr("mirrored left-right"));
  const auto exchanged = diagnosis_of_placed([](Place p) { return Place{p[0], p[1], 2 - p[2]}; });
  ASSERT_EQ(exchanged.status, S::kFound) << exchanged.reason;
  ASSERT_EQ(exchanged.faults.size(), 2U);
  EXPECT_EQ(exchanged.faults[0].kind, CauseKind::kValueRange);
  EXPECT_THAT(exchanged.faults[1].detail, HasSubstr("the app feeds BGR"));
}

TEST(Saturated, NothingIsNamedIfTheCodesLieElsewhere) {
  std::vector<preprocess::Image> images;
  std::vector<Tensor> noise;
  std::mt19937 random(5);
  for (unsigned i = 0; i < 3; ++i) {
    images.push_back(picture(i + 1));
    noise.push_back(fed(kSigned, images.back(), [](double) { return 1; }));
    for (std::size_t k = 0; k < images.back().pixels.size(); ++k)
      if (random() % 8 == 0) noise.back().bytes.data()[k] = std::byte(0);
  }
  const auto moved = diagnosis_of_placed([](Place p) {
    return Place{p[0], (p[1] + 6) % kSide, p[2]};
  });
  for (const InputDiagnosis& found : {diagnosis(kSigned, images, noise), moved}) {
    EXPECT_EQ(found.status, S::kPartial);
    EXPECT_TRUE(found.is_saturated);
    EXPECT_THAT(found.faults, IsEmpty());
  }
}

TEST(Saturated, OneCodeEverywhereMayBeARangeThatIsCutOff) {
  const auto cut = diagnosis(
      kSigned, [](double x) { return x; }, 9);
  EXPECT_EQ(cut.status, S::kUndecidable);
  ASSERT_TRUE(cut.cut_off);
  EXPECT_THAT(cut.cut_off->detail, HasSubstr("to 0..255; the reference to -1..1"));
  // No usual range makes every pixel 0.3.
  EXPECT_FALSE(diagnosis(
                   kSigned, [](double) { return 0.3; }, 9)
                   .cut_off);
}

}  // namespace
}  // namespace edgeprobe::diagnose
