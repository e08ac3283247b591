// SPDX-License-Identifier: Apache-2.0
#include "preprocess/decode/encode_jpeg.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace edgeprobe::preprocess {
namespace {

TEST(EncodeJpeg, IsDecodedToNearlyTheSame) {
  Image image{24, 40, 3, {}};
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x)
      for (const int value : {x * 6, y * 10, 255 - x * 3 - y})
        image.pixels.push_back(static_cast<std::uint8_t>(value));
  const auto encoded = encode_jpeg(image, 95);
  ASSERT_TRUE(encoded) << encoded.error().what;
  const auto decoded = decode(*encoded);
  ASSERT_TRUE(decoded) << decoded.error().what;
  EXPECT_EQ(decoded->format, "jpeg");
  EXPECT_EQ(decoded->image.height, 24);
  EXPECT_EQ(decoded->image.width, 40);
  for (std::size_t i = 0; i < image.pixels.size(); ++i)
    EXPECT_LE(std::abs(int{decoded->image.pixels[i]} - int{image.pixels[i]}), 12) << i;
  EXPECT_LT(encode_jpeg(image, 20)->size(), encoded->size());
}

TEST(EncodeJpeg, RefusesASizeThatItsPixelsDoNotHave) {
  EXPECT_FALSE(encode_jpeg({2, 2, 3, std::vector<std::uint8_t>(11)}, 85));
  EXPECT_FALSE(encode_jpeg({0, 2, 3, {}}, 85));
  EXPECT_FALSE(encode_jpeg({70000, 1, 1, std::vector<std::uint8_t>(70000)}, 85));
}

}  // namespace
}  // namespace edgeprobe::preprocess
