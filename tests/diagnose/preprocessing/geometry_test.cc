// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/model/geometry.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support.h"

namespace edgeprobe::diagnose::testing {
namespace {

std::optional<Geometry> geometry_of(const std::string& text, int height, int width) {
  return geometry(recipe(text).steps, height, width);
}

/// The largest difference between a projection and its recipe.
double distance_from_recipe(const std::string& text, const preprocess::Image& image) {
  const auto g = geometry_of(text, image.height, image.width);
  if (!g) return 1e9;
  const preprocess::Raster made = project(g->turned ? laid_as(image, g->turned) : image, *g);
  const TensorSpec spec{"x", DType::kFloat32, {1, g->height, g->width, 3}, {}};
  const auto whole = preprocess::apply(recipe(text), image, spec);
  EXPECT_TRUE(whole) << text << ": " << (whole ? "" : whole.error().what);
  const auto expected = stored_as_float(*whole);
  double largest = 0;
  for (int y = 0; y < made.height; ++y)
    for (int x = 0; x < made.width * 3; ++x)
      largest = std::max(
          largest,
          std::abs(double(made.values[std::size_t(y * made.width * 3 + x)]) -
                   double((*expected)[std::size_t(((g->top + y) * g->width + g->left) * 3 + x)])));
  return largest;
}

TEST(Geometry, TwoMatricesDoWhatTheStepsDo) {
  const preprocess::Image image = picture(23, 31);
  for (const char* const text :
       {"resize(12x16, bilinear)", "resize(12x16, bilinear, antialias=on)",
        "resize(40x20, nearest)", "resize(12x12, area)",
        "crop(center, 0.8) | resize(10x10, bilinear)", "crop(square) | resize(9x9, bicubic)",
        "letterbox(16x16, bilinear, fill=114)", "rotate(90) | resize(12x16, bilinear)",
        "flip(horizontal) | resize(12x16, bilinear)"})
    EXPECT_LT(distance_from_recipe(text, image), 0.01) << text;
}

TEST(Geometry, BarsLieWhereTheContentDoesNot) {
  const auto g = geometry_of("letterbox(16x16, bilinear, fill=114)", 20, 40);
  ASSERT_TRUE(g);
  EXPECT_TRUE(g->has_letterbox());
  EXPECT_EQ(g->height, 16);
  EXPECT_EQ(g->rows.out, 8);
  EXPECT_EQ(g->columns.out, 16);
  EXPECT_EQ(g->top, 4);
  EXPECT_EQ(g->left, 0);
  EXPECT_EQ(g->fill, 114);
  EXPECT_FALSE(geometry_of("resize(16x16, bilinear)", 20, 40)->has_letterbox());
}

TEST(Geometry, AWindowOutsideThePictureFitsNothing) {
  EXPECT_TRUE(geometry_of("crop(2, 3, 8x8)", 12, 12));
  EXPECT_FALSE(geometry_of("crop(6, 3, 8x8)", 12, 12));
}

TEST(Geometry, OtherStepsArePassedOver) {
  const auto g = geometry_of("resize(8x8, bilinear) | scale(-1..1) | color(bgr)", 20, 20);
  ASSERT_TRUE(g);
  EXPECT_EQ(g->rows.out, 8);
  for (const preprocess::Step& step : recipe("scale(-1..1) | color(bgr)").steps)
    EXPECT_FALSE(is_geometric(step));
}

TEST(Geometry, EveryNthRowIsThatOfTheWhole) {
  const preprocess::Image image = picture(30, 20);
  const auto g = geometry_of("resize(15x10, bilinear)", 30, 20);
  ASSERT_TRUE(g);
  const preprocess::Raster whole = project(image, *g), some = project(image, *g, 4);
  ASSERT_EQ(some.height, 4);  // Rows 2, 6, 10 and 14.
  for (int i = 0; i < some.height; ++i)
    for (int x = 0; x < 30; ++x)
      EXPECT_FLOAT_EQ(some.values[std::size_t(i * 30 + x)],
                      whole.values[std::size_t((2 + 4 * i) * 30 + x)]);
}

TEST(Geometry, CellsAreMeansOfTheirShare) {
  const auto g = geometry_of("resize(8x8, nearest)", 8, 8);
  ASSERT_TRUE(g);
  std::vector<float> coverage;
  // 8 of 16 rows, from row 4 on, seen through 4 cells of 4 rows.
  const preprocess::BandedMatrix cells = in_cells(g->rows, 4, 16, 4, coverage);
  EXPECT_EQ(cells.out, 4);
  EXPECT_EQ(coverage, (std::vector<float>{0, 1, 1, 0}));
}

}  // namespace
}  // namespace edgeprobe::diagnose::testing
