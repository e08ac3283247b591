// SPDX-License-Identifier: Apache-2.0
#include "text/utf8.h"

#include <gtest/gtest.h>

namespace edgeprobe::text {
namespace {

TEST(FirstBadByte, TakesWellFormedTextOfOneToFourBytes) {
  EXPECT_FALSE(first_bad_byte(""));
  EXPECT_FALSE(first_bad_byte("plain\x01\x7f"));
  EXPECT_FALSE(first_bad_byte("caf\xc3\xa9 \xe6\x9d\xb1 \xf0\x9f\x98\x80"));
  // The edges of table 3-7 of Unicode: U+0080, U+07FF, U+0800, U+D7FF, U+E000, U+10FFFF.
  EXPECT_FALSE(
      first_bad_byte("\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf"));
}

TEST(FirstBadByte, NamesThePlaceOfWhatIsNone) {
  EXPECT_EQ(first_bad_byte("caf\xe9"), 3u);           // Latin-1.
  EXPECT_EQ(first_bad_byte("a\x80"), 1u);             // A continuation byte by itself.
  EXPECT_EQ(first_bad_byte("ab\xc3"), 2u);            // The end is missing.
  EXPECT_EQ(first_bad_byte("\xc0\xaf"), 0u);          // Two bytes for one of ASCII.
  EXPECT_EQ(first_bad_byte("\xe0\x9f\xbf"), 0u);      // Three bytes for two.
  EXPECT_EQ(first_bad_byte("x\xed\xa0\x80"), 1u);     // A surrogate.
  EXPECT_EQ(first_bad_byte("\xf4\x90\x80\x80"), 0u);  // Beyond U+10FFFF.
  EXPECT_EQ(first_bad_byte("\xf0\x9f\x98x"), 0u);
}

}  // namespace
}  // namespace edgeprobe::text
