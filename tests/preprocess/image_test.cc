#include "preprocess/image.h"

#include <gtest/gtest.h>

namespace edgeprobe::preprocess {
namespace {

TEST(Image, PngSurvivesEncodingAndDecoding) {
  const Image image{2, 3, 3, {0, 1, 2, 3, 4, 5, 6, 7, 8, 250, 251, 252, 253, 254, 255, 9, 10, 11}};
  const auto png = encode_png(image);
  ASSERT_TRUE(png) << png.error().what;
  const auto decoded = decode(*png);
  ASSERT_TRUE(decoded) << decoded.error().what;
  EXPECT_EQ(decoded->format, "png");
  EXPECT_EQ(decoded->image.height, 2);
  EXPECT_EQ(decoded->image.width, 3);
  EXPECT_EQ(decoded->image.pixels, image.pixels);
}

TEST(Image, RoundsHalfAwayFromZeroAndSaturates) {
  const Raster raster{1, 6, 1, {-0.6f, 0.5f, 1.49f, 254.5f, 254.49f, 300.0f}};
  const std::vector<std::uint8_t> expected{0, 1, 1, 255, 254, 255};
  EXPECT_EQ(to_image(raster).pixels, expected);
}

}  // namespace
}  // namespace edgeprobe::preprocess
