// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/model/orientation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support.h"

namespace edgeprobe::diagnose::testing {
namespace {

TEST(Orientation, ThenDoesBothInThisOrder) {
  const preprocess::Image image = picture(3, 5);
  for (Orientation first = 0; first < kOrientations; ++first)
    for (Orientation second = 0; second < kOrientations; ++second)
      EXPECT_EQ(laid_as(laid_as(image, first), second).pixels,
                laid_as(image, then(first, second)).pixels)
          << first << " then " << second;
}

TEST(Orientation, InverseBringsThePictureBack) {
  const preprocess::Image image = picture(4, 3);
  for (Orientation o = 0; o < kOrientations; ++o) {
    const preprocess::Image back = laid_as(laid_as(image, o), inverse(o));
    EXPECT_EQ(back.pixels, image.pixels) << o;
    EXPECT_EQ(back.height, image.height) << o;
  }
}

TEST(Orientation, StepsOfTheRecipeDoWhatLayingDoes) {
  const preprocess::Image image = picture(4, 6);
  for (Orientation o = 0; o < kOrientations; ++o) {
    Orientation by_steps = 0;
    for (const preprocess::Step& step : orientation_steps(o)) {
      const auto turn = orientation_of(step);
      ASSERT_TRUE(turn) << o;
      by_steps = then(by_steps, *turn);
    }
    EXPECT_EQ(by_steps, o);
    const preprocess::Image laid = laid_as(image, o);
    const TensorSpec spec{"x", DType::kUInt8, {1, laid.height, laid.width, 3}, {}};
    const auto made = preprocess::apply({orientation_steps(o), ""}, image, spec);
    ASSERT_TRUE(made) << o << ": " << made.error().what;
    const auto values = stored_as_float(*made);
    ASSERT_TRUE(values);
    EXPECT_TRUE(std::equal(values->begin(), values->end(), laid.pixels.begin())) << o;
  }
}

TEST(Orientation, OddTurnsSwapTheSides) {
  const preprocess::Image image = picture(2, 7);
  for (Orientation o = 0; o < kOrientations; ++o)
    EXPECT_EQ(laid_as(image, o).height == 7, swaps_sides(o)) << o;
}

TEST(Orientation, EachHasWordsOfItsOwn) {
  std::set<std::string> words;
  for (Orientation o = 0; o < kOrientations; ++o) words.insert(describe_orientation(o));
  EXPECT_EQ(words.size(), std::size_t{kOrientations});
  EXPECT_EQ(describe_orientation(1), "rotated by 90° clockwise");
  EXPECT_EQ(describe_orientation(4), "mirrored left-right");
}

}  // namespace
}  // namespace edgeprobe::diagnose::testing
