// SPDX-License-Identifier: Apache-2.0
#include "trace/names.h"

#include <gtest/gtest.h>

#include <set>

namespace edgeprobe::trace {
namespace {

using namespace std::string_literals;

TEST(Escape, LeavesOrdinaryNamesAlone) {
  for (const std::string& name : {"MobilenetV1/Conv2d_0/Relu6;x"s, "größe"s, ".."s, "="s, ""s})
    EXPECT_EQ(escape(name), name);
}

TEST(Escape, MakesValidUtf8WithoutControlsAndComesBack) {
  EXPECT_EQ(escape("50%"), "50%25");
  EXPECT_EQ(escape("a\x1b[2J\0b"s), "a%1B[2J%00b");
  EXPECT_EQ(escape("\xff\xc3"), "%FF%C3");
  EXPECT_EQ(escape("\xed\xa0\x80"), "%ED%A0%80");  // a surrogate is not UTF-8
  EXPECT_EQ(escape("\xc0\xaf"), "%C0%AF");         // nor is an overlong '/'
  std::string every;
  for (int byte = 0; byte < 256; ++byte) every += static_cast<char>(byte);
  EXPECT_EQ(unescape(escape(every)), every);
  EXPECT_EQ(unescape("100%"), "100%");
  EXPECT_EQ(unescape("%zz%4"), "%zz%4");
}

TEST(ConventionalPath, KeepsOrdinaryParts) {
  EXPECT_EQ(conventional_path("traces", "signs", "signs_int8", "litert-xnnpack-2", "bgr").string(),
            "traces/signs/signs_int8/litert-xnnpack-2_bgr.mcap");
}

TEST(ConventionalPath, CannotLeaveItsFolder) {
  EXPECT_EQ(conventional_path("t", "..", "../../etc/passwd", "a/b", "\0x"s).string(),
            "t/_./_._.._etc_passwd/a_b__x.mcap");
  EXPECT_EQ(conventional_path("t", "", ".", "\x1b[1m", "c:\\d").string(),
            "t/unknown/_/_[1m_c__d.mcap");
  const auto path =
      conventional_path("t", std::string(1000000, 'a'), "m", "c", std::string(300, 'p'));
  for (const auto& part : path) EXPECT_LE(part.string().size(), 255u);
}

TEST(FileNamePart, KeepsWhatWasCutDistinctAndWhole) {
  const std::string first = file_name_part(std::string(100, 'x') + "1"),
                    second = file_name_part(std::string(100, 'x') + "2");
  EXPECT_NE(first, second);
  EXPECT_EQ(first.size(), 80u);
  std::string umlauts;
  for (int i = 0; i < 100; ++i) umlauts += "ü";
  EXPECT_EQ(escape(file_name_part(umlauts)), file_name_part(umlauts))
      << "a UTF-8 sequence was cut in two";
}

}  // namespace
}  // namespace edgeprobe::trace
