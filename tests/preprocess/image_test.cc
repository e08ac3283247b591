// SPDX-License-Identifier: Apache-2.0
#include "preprocess/decode/image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace edgeprobe::preprocess {
namespace {

using testing::HasSubstr;

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

TEST(ImageHeader, SaysWhatOtherBytesLookLike) {
  using namespace std::string_literals;
  const auto what = [](const std::string& bytes) {
    const auto header = read_header(view_of(bytes));
    return header ? "no error" : header.error().what;
  };
  EXPECT_THAT(what("RIFF\x01\x02\x03\x04WEBPVP8 "), HasSubstr("a WebP"));
  EXPECT_THAT(what("RIFFabc"), HasSubstr("something else"));
  EXPECT_THAT(what("\0\0\0\x1c"s
                   "TFL3 more"),
              HasSubstr("a TFLite model"));
  EXPECT_THAT(what("\x1b[31m"), HasSubstr("\\x1b"));
  EXPECT_THAT(what(""), HasSubstr("empty"));
  EXPECT_THAT(what("\xff\xd8\xff\xe0"), HasSubstr("ends at byte 4"));
  EXPECT_THAT(what("BM"), HasSubstr("BMP header"));
}

TEST(ImageHeader, IsReadWithoutThePixels) {
  auto png = encode_png({3, 5, 1, std::vector<std::uint8_t>(15, 9)});
  ASSERT_TRUE(png);
  png->resize(24);
  const auto header = read_header(*png);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->height, 3);
  EXPECT_EQ(header->width, 5);
  EXPECT_EQ(decode(*png).error().kind, ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace edgeprobe::preprocess
