// SPDX-License-Identifier: Apache-2.0
#include "support.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace edgeprobe::diagnose::testing {

preprocess::Image picture(int height, int width, unsigned seed) {
  std::mt19937 random(seed);
  const auto unit = [&] { return static_cast<double>(random()) / 4294967296.0; };
  preprocess::Image image{height, width, 3, {}};
  // A slope, two waves and noise; no colour channel is a linear function of another.
  const double a = 0.2 + 0.3 * unit(), b = 0.2 + 0.3 * unit();
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < 3; ++c) {
        const double slope = 70.0 * y / height - 50.0 * (c == 1 ? -x : x) / width;
        const double waves = 35 * std::sin(a * x + c) + 30 * std::cos(b * y - 2 * c);
        const double value = 110 + 20 * c + slope + waves + 24 * (unit() - 0.5);
        image.pixels.push_back(static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0)));
      }
  return image;
}

preprocess::Recipe recipe(const std::string& text) {
  auto parsed = preprocess::parse_recipe(text);
  EXPECT_TRUE(parsed) << text << ": " << (parsed ? "" : parsed.error().what);
  return parsed ? *std::move(parsed) : preprocess::Recipe{};
}

TensorSpec floats(int side) { return {"input", DType::kFloat32, {1, side, side, 3}, {}}; }

TensorSpec codes(DType dtype, int side, float scale, std::int64_t zero_point) {
  return {"input", dtype, {1, side, side, 3}, {{scale}, {zero_point}, 0}};
}

Reference reference(const std::string& text, const TensorSpec& input) {
  auto taken = take_apart(recipe(text), input, input);
  EXPECT_TRUE(taken) << text << ": " << (taken ? "" : taken.error().what);
  return taken ? *std::move(taken) : Reference{};
}

Recorded recorded(const preprocess::Image& raw, const std::string& app,
                  const Reference& reference) {
  Recorded made{raw, {}, {}};
  auto target = preprocess::apply(recipe(app), made.raw, reference.target);
  EXPECT_TRUE(target) << app << ": " << (target ? "" : target.error().what);
  if (!target) return made;
  made.target = *std::move(target);
  auto frame = make_frame({"one", &made.raw, made.target}, reference);
  EXPECT_TRUE(frame) << (frame ? "" : frame.error().what);
  if (frame) made.frame = *std::move(frame);
  return made;
}

}  // namespace edgeprobe::diagnose::testing
