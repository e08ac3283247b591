// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/model/regression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "diagnose/preprocessing/model/color.h"
#include "support.h"

namespace edgeprobe::diagnose::testing {
namespace {

/// Pixels, and the target that `make` computes from them.
struct Pixels {
  std::vector<float> x, t;

  template <class Make>
  Pixels(std::size_t count, Make make) {
    std::mt19937 random(3);
    for (std::size_t i = 0; i < count; ++i) {
      const float pixel[3] = {float(random() % 256), float(random() % 256), float(random() % 256)};
      x.insert(x.end(), pixel, pixel + 3);
      for (int c = 0; c < 3; ++c) t.push_back(float(make(pixel, c)));
    }
  }
  Sums sums(const std::uint8_t* keep = nullptr) const {
    Sums all;
    add(all, x.data(), 3, false, t.data(), 3, keep, x.size() / 3);
    return all;
  }
};

TEST(Regression, FindsTheLinesThatMadeTheTarget) {
  const Pixels pixels(200, [](const float* p, int c) { return 0.5 * p[2 - c] - 10 + c; });
  const Fit found = fit(pixels.sums());
  ASSERT_EQ(found.lines.size(), 3u);
  for (std::size_t c = 0; c < 3; ++c) {
    ASSERT_EQ(found.lines[c].coefficients.size(), 4u);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(found.lines[c].coefficients[i], i == 2 - c ? 0.5 : 0, 1e-6);
    EXPECT_NEAR(found.lines[c].coefficients[3], -10 + double(c), 1e-4);
  }
  EXPECT_NEAR(found.response, 0.5, 1e-6);
  EXPECT_NEAR(found.r2, 1, 1e-9);
  EXPECT_LT(found.residual, 1e-3);
}

TEST(Regression, ResidualsAreInGraySteps) {
  // Noise of alternately plus and minus four gray steps, independent of the target's scale.
  for (const double scale : {1.0, 1 / 255.0, 40.0}) {
    int turn = 0;
    const Pixels pixels(
        3000, [&](const float* p, int c) { return scale * (p[c] + (turn++ % 2 ? 4.0 : -4.0)); });
    EXPECT_NEAR(fit(pixels.sums()).residual, 4, 0.1) << scale;
  }
}

TEST(Regression, DroppedPixelsDoNotCount) {
  Pixels pixels(300, [](const float* p, int c) { return 2 * p[c]; });
  std::vector<std::uint8_t> keep(300, 1);
  for (std::size_t i = 0; i < 300; i += 5) {
    keep[i] = 0;
    pixels.t[i * 3] = 1e6f;
  }
  const Sums sums = pixels.sums(keep.data());
  EXPECT_EQ(sums.count, 240);
  EXPECT_LT(fit(sums).residual, 1e-3);
  EXPECT_GT(fit(pixels.sums()).residual, 10);
}

TEST(Regression, SumsOfHalvesAreThoseOfTheWhole) {
  const Pixels pixels(128, [](const float* p, int c) { return p[c] * 0.1 + p[(c + 1) % 3]; });
  Sums halves, second;
  add(halves, pixels.x.data(), 3, true, pixels.t.data(), 3, nullptr, 64);
  add(second, pixels.x.data() + 192, 3, true, pixels.t.data() + 192, 3, nullptr, 64);
  add(halves, second);
  Sums whole;
  add(whole, pixels.x.data(), 3, true, pixels.t.data(), 3, nullptr, 128);
  EXPECT_EQ(halves.columns, 6);
  EXPECT_EQ(halves.count, whole.count);
  for (int i = 0; i < Sums::kMost; ++i)
    for (int c = 0; c < 3; ++c)
      EXPECT_NEAR(halves.xt[std::size_t(i)][std::size_t(c)],
                  whole.xt[std::size_t(i)][std::size_t(c)],
                  1e-9 * std::abs(whole.xt[std::size_t(i)][std::size_t(c)]) + 1e-9);
}

Mixing mixing_named(const std::string& name, const Reference& reference) {
  for (const Mixing& mixing : usual_mixings(reference, 3))
    if (mixing.name == name) return mixing;
  ADD_FAILURE() << "no mixing is called " << name;
  return {};
}

TEST(Colors, EachUsualMixtureIsNamed) {
  const Reference rgb = reference("resize(8x8, bilinear) | scale(-1..1)", floats(8));
  EXPECT_EQ(usual_mixings(rgb, 3).front().name, "RGB");
  for (const Mixing& mixing : usual_mixings(rgb, 3)) {
    const Pixels pixels(400, [&](const float* p, int c) {
      const auto& row = mixing.rows[std::size_t(c)];
      return (row[0] * p[0] + row[1] * p[1] + row[2] * p[2]) / 127.5 - 1;
    });
    const ColorAnswer answer = name_color(pixels.sums(), rgb, 3);
    EXPECT_TRUE(answer.named) << mixing.name;
    EXPECT_EQ(answer.chosen.mixing.name, mixing.name);
    EXPECT_FALSE(answer.order_undecidable) << mixing.name;
    for (const double gain : answer.chosen.gain) EXPECT_NEAR(gain, 1 / 127.5, 1e-6);
  }
}

TEST(Colors, OfAGrayPictureTheOrderIsOpen) {
  const Reference rgb = reference("resize(8x8, bilinear) | scale(-1..1)", floats(8));
  std::mt19937 random(5);
  std::vector<float> x, t;
  for (int i = 0; i < 200; ++i) {
    const float gray = float(random() % 256);
    x.insert(x.end(), 3, gray);
    t.insert(t.end(), 3, gray / 127.5f - 1);
  }
  Sums sums;
  add(sums, x.data(), 3, false, t.data(), 3, nullptr, 200);
  EXPECT_TRUE(name_color(sums, rgb, 3).order_undecidable);
}

TEST(Colors, AMixtureThatNobodyUsesIsNotNamed) {
  const Reference rgb = reference("resize(8x8, bilinear) | scale(-1..1)", floats(8));
  const Pixels pixels(
      400, [](const float* p, int c) { return (0.4 * p[c] + 0.6 * p[(c + 1) % 3]) / 127.5 - 1; });
  const ColorAnswer answer = name_color(pixels.sums(), rgb, 3);
  EXPECT_FALSE(answer.named);
  EXPECT_LT(answer.free_residual, 0.1);
  EXPECT_GT(answer.chosen.residual, 10);
}

TEST(Colors, MixturesAreEqualByTheirNumbers) {
  const Reference rgb = reference("resize(8x8, bilinear) | scale(-1..1)", floats(8));
  Mixing bgr = mixing_named("BGR", rgb);
  bgr.name = "another name";
  EXPECT_EQ(bgr, mixing_named("BGR", rgb));
  EXPECT_FALSE(bgr == mixing_named("gray", rgb));
}

}  // namespace
}  // namespace edgeprobe::diagnose::testing
