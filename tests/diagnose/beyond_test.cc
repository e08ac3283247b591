// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/preprocessing/diagnosis.h"

/// Faults that no recipe expresses, injected into the tensors by plain arithmetic.
namespace edgeprobe::diagnose {
namespace {

using testing::HasSubstr;
using S = InputDiagnosis::Status;

/// Waves of several scales and noise, over all levels; each channel differs.
preprocess::Image scene(int height, int width, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  preprocess::Image image{height, width, 3,
                          std::vector<std::uint8_t>(std::size_t(height) * std::size_t(width) * 3)};
  const double a = 3 + 4 * unit(random), b = 2 + 5 * unit(random), c = 7 + 6 * unit(random);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int k = 0; k < 3; ++k) {
        const double u = double(x) / width, v = double(y) / height;
        const double value = 128 + 70 * std::sin(a * u + k) * std::cos(b * v - 0.5 * k) +
                             60 * (u - v * v) + 45 * std::sin(c * u * v + 2 * k) +
                             24 * (unit(random) - 0.5);
        image.pixels[(std::size_t(y) * std::size_t(width) + std::size_t(x)) * 3 + std::size_t(k)] =
            std::uint8_t(std::clamp(value, 0.0, 255.0));
      }
  return image;
}

preprocess::Recipe recipe(const std::string& text) { return *preprocess::parse_recipe(text); }

struct Deployment {
  std::string reference;
  TensorSpec input;
};
const Deployment kFloat{"resize(96x112, bilinear, like=pillow) | scale(-1..1)",
                        {"input", DType::kFloat32, {1, 96, 112, 3}, {}}};
const Deployment kPlanes{"resize(96x112, bilinear, like=opencv) | scale(0..1) | layout(nchw)",
                         {"input", DType::kFloat32, {1, 3, 96, 112}, {}}};
const Deployment kInt8{"crop(square) | resize(96x96, area) | scale(-1..1) | quantize(model)",
                       {"input", DType::kInt8, {1, 96, 96, 3}, {{1 / 127.5f}, {0}, 0}}};

using Values = std::vector<float>;

/// The stored values of `made` (a recipe), changed by `spoil`, and diagnosed against the
/// deployment's reference.
InputDiagnosis spoilt(const Deployment& setup, const std::function<Values(const Values&)>& spoil,
                      int count, std::string made = "", bool dull = false) {
  if (made.empty()) made = setup.reference;
  std::vector<preprocess::Image> images;
  std::vector<Tensor> tensors;
  for (int i = 0; i < count; ++i) {
    images.push_back(scene(150, 190, 3 + unsigned(i)));
    if (dull)  // Each channel has its own black and white level.
      for (std::uint8_t& p : images.back().pixels) p = std::uint8_t(40 + 5 * i + p * (5 + i) / 12);
    Tensor tensor = *preprocess::apply(recipe(made), images.back(), setup.input);
    const Values values = spoil(*stored_as_float(tensor));
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (setup.input.dtype == DType::kInt8) tensor.bytes[k] = std::byte(std::int8_t(values[k]));
      else std::memcpy(tensor.bytes.data() + 4 * k, &values[k], 4);
    }
    tensors.push_back(std::move(tensor));
  }
  std::vector<InputFrame> frames;
  for (int i = 0; i < count; ++i)
    frames.push_back({"s" + std::to_string(i), &images[std::size_t(i)], tensors[std::size_t(i)]});
  auto d = diagnose_input(frames, recipe(setup.reference), setup.input, setup.input);
  EXPECT_TRUE(d) << (d ? "" : d.error().what);
  return d ? *d : InputDiagnosis{};
}

Values each(const Values& values, const std::function<double(double)>& change) {
  Values out;
  for (const float v : values) out.push_back(float(change(double(v))));
  return out;
}
/// Changes pixels through the range -1..1.
std::function<Values(const Values&)> on_pixels(const std::function<double(double)>& change) {
  return [=](const Values& values) {
    return each(values, [&](double v) { return change(std::round((v + 1) * 127.5)) / 127.5 - 1; });
  };
}

void expect_named(const InputDiagnosis& d, const char* kind, const char* words) {
  ASSERT_EQ(d.status, S::kFound) << d.reason;
  ASSERT_FALSE(d.faults.empty());
  EXPECT_TRUE(d.as_recorded);
  EXPECT_STREQ(name(d.faults[0].kind), kind);
  EXPECT_THAT(d.faults[0].detail, HasSubstr(words));
  EXPECT_FALSE(d.faults[0].fix_step.empty());
  EXPECT_LE(d.residual, 0.75);
  EXPECT_GT(d.residual_before, 2.2);
}

TEST(ValueTable, NamesArithmeticInEightBits) {
  const auto wrap = [](double v) { return v - 256 * std::floor(v / 256); };
  for (const int frames : {1, 4}) {
    expect_named(spoilt(kFloat, on_pixels([](double x) { return x < 128 ? x : x - 256; }), frames),
                 "value_table", "signed numbers");
    expect_named(spoilt(kFloat, on_pixels([&](double x) { return wrap(x - 100) + 100; }), frames),
                 "value_table", "x - 100 in 8 bits");
    expect_named(spoilt(kFloat, on_pixels([&](double x) { return wrap(x + 60); }), frames),
                 "value_table", "x + 60 in 8 bits");
    expect_named(spoilt(kFloat, on_pixels([&](double x) { return wrap(2 * x); }), frames),
                 "value_table", "in 8 bits, which wraps round");
  }
}

TEST(ValueTable, NamesLevelsThatAreLost) {
  for (const int frames : {1, 4}) {
    expect_named(
        spoilt(kFloat, on_pixels([](double x) { return std::floor(x / 16) * 16; }), frames),
        "value_table", "upper 4 bits");
    expect_named(spoilt(kFloat, on_pixels([](double x) { return x >= 90 ? 255 : 0; }), frames),
                 "value_table", "90");
    expect_named(spoilt(kFloat, on_pixels([](double x) { return std::max(x, 127.5); }), frames),
                 "value_table", "cuts the values off");
    expect_named(
        spoilt(
            kFloat,
            [](const Values& v) { return each(v, [](double x) { return std::trunc(x * 1.5); }); },
            frames),
        "value_table", "whole numbers: only 3 values");
  }
}

TEST(ValueTable, SaysOfAnUnknownCurveWhatItDoes) {
  const auto d = spoilt(kFloat, on_pixels([](double x) { return x > 160 ? 255 - x : x; }), 3);
  expect_named(d, "value_table", "pass through a table");
}

TEST(ValueTable, ComesWithOtherChannelsAndAnotherKernel) {
  const auto d = spoilt(kFloat, on_pixels([](double x) { return x < 128 ? x : x - 256; }), 3,
                        "resize(96x112, nearest) | color(bgr) | scale(-1..1)");
  expect_named(d, "value_table", "signed numbers");
  std::vector<std::string> kinds;
  for (const InputFault& fault : d.faults) kinds.push_back(name(fault.kind));
  EXPECT_THAT(kinds, testing::UnorderedElementsAre("value_table", "channel_order", "resize"));
}

TEST(ValueTable, HoldsForFramesThatReachAPartOfItAlone) {
  // Four of five pictures are too dark to wrap around: for them it looks like brightness.
  const auto wrap = [](double v) { return v - 256 * std::floor(v / 256); };
  expect_named(spoilt(kFloat, on_pixels([&](double x) { return wrap(x + 20); }), 5, "", true),
               "value_table", "x + 20 in 8 bits");
}

TEST(ValueTable, IsNotClaimedWhereNoFunctionIs) {
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, 0.05);
  for (const auto& d :
       {spoilt(
            kFloat,
            [&](const Values& v) { return each(v, [&](double x) { return x + noise(random); }); },
            3),
        // Signed bytes, and noise in addition.
        spoilt(
            kFloat,
            [&](const Values& v) {
              return each(v, [&](double x) { return (x < 0 ? x : x - 2) + noise(random); });
            },
            1)})
    EXPECT_EQ(d.status, S::kPartial);
}

TEST(OwnRanges, NamesGainsAndWindowsOfLevelsThatChangeFromFrameToFrame) {
  int frame = 0;
  const auto gains = spoilt(
      kFloat,
      [&](const Values& v) {
        const double gain = 0.7 + 0.08 * frame++;
        return on_pixels([=](double x) { return gain * x; })(v);
      },
      4);
  expect_named(gains, "value_range", "each frame its own gain");
  const auto stretched = spoilt(
      kFloat,
      [&](const Values& v) {
        const auto [low, high] = std::minmax_element(v.begin(), v.end());
        const double a = *low, b = *high;
        return each(v, [=](double x) { return (x - a) / (b - a); });
      },
      4, "", true);
  expect_named(stretched, "value_range", "its own least and largest value");
}

/// [height, width, channels] or planes.
Values moved(const Values& v, const std::function<std::ptrdiff_t(std::ptrdiff_t)>& from) {
  Values out(v.size(), v.front());
  for (std::size_t i = 0; i < v.size(); ++i)
    if (const auto at = from(std::ptrdiff_t(i)); at >= 0 && at < std::ptrdiff_t(v.size()))
      out[i] = v[std::size_t(at)];
  return out;
}

TEST(MemoryOrder, NamesHeightAndWidthExchanged) {
  constexpr std::ptrdiff_t h = 96, w = 112;
  for (const int frames : {1, 3}) {
    expect_named(spoilt(
                     kPlanes,
                     [](const Values& v) {
                       return moved(v, [](std::ptrdiff_t i) {
                         const auto p = i / (h * w), k = i % (h * w);
                         return p * h * w + k % h * w + k / h;
                       });
                     },
                     frames),
                 "layout", "height and width exchanged in memory, plane by plane");
    // With interleaved memory, a recipe expresses this.
    const auto d = spoilt(
        kFloat,
        [](const Values& v) {
          return moved(v, [](std::ptrdiff_t i) {
            const auto c = i % 3, k = i / 3;
            return (k % h * w + k / h) * 3 + c;
          });
        },
        frames);
    ASSERT_EQ(d.status, S::kFound);
    EXPECT_THAT(d.faults[0].detail, HasSubstr("height and width exchanged in memory"));
  }
}

TEST(MemoryOrder, NamesRowsAndValuesInOtherPlaces) {
  constexpr std::ptrdiff_t h = 96, l = 112 * 3;
  const auto rows = [](const std::function<std::ptrdiff_t(std::ptrdiff_t)>& row) {
    return [=](const Values& v) {
      return moved(v, [&](std::ptrdiff_t i) { return row(i / l) * l + i % l; });
    };
  };
  for (const int frames : {1, 3}) {
    expect_named(spoilt(kFloat, rows([](std::ptrdiff_t y) {
                          return y < h / 2 ? 2 * y : 2 * (y - h / 2) + 1;
                        }),
                        frames),
                 "layout", "field by field");
    expect_named(spoilt(kFloat, rows([](std::ptrdiff_t y) { return y ^ 1; }), frames), "layout",
                 "pair of rows");
    expect_named(
        spoilt(
            kFloat,
            [](const Values& v) { return moved(v, [](std::ptrdiff_t i) { return i - 1; }); },
            frames),
        "layout", "1 value too late");
    expect_named(spoilt(
                     kFloat,
                     [](const Values& v) {
                       return moved(v, [](std::ptrdiff_t i) { return i / l * (l + 12) + i % l; });
                     },
                     frames),
                 "layout", "4 pixels too far apart");
    expect_named(spoilt(
                     kFloat,
                     [](const Values& v) {
                       return moved(v, [](std::ptrdiff_t i) {
                         return i % (l + 48) < l ? i / (l + 48) * l + i % (l + 48) : -1;
                       });
                     },
                     frames),
                 "layout", "16 pixels of padding");
  }
}

TEST(MemoryOrder, IsExactOnAllFramesOrNothing) {
  int frame = 0;
  const auto d = spoilt(
      kFloat,
      [&](const Values& v) {
        const auto by = 1 + frame++ % 2;
        return moved(v, [&](std::ptrdiff_t i) { return i - by; });
      },
      4);
  EXPECT_NE(d.status, S::kFound);
}

TEST(Beyond, CodesOfIntegersAreTablesToo) {
  const auto d = spoilt(
      kInt8,
      [](const Values& v) {
        return each(v, [](double c) { return c < 0 ? c : std::min(127.0, 127 - c); });
      },
      3);
  expect_named(d, "value_table", "table");
}

}  // namespace
}  // namespace edgeprobe::diagnose
