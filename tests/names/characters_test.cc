// SPDX-License-Identifier: Apache-2.0
#include "names/characters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace edgeprobe::names {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Names of(std::string_view text, std::string_view path = "keys.txt") {
  const auto found = characters(view_of(text), path);
  EXPECT_TRUE(found) << found.error().what;
  return found ? *found : Names{};
}
std::string refusal(std::string_view text, std::string_view path = "keys.txt") {
  const auto found = characters(view_of(text), path);
  EXPECT_FALSE(found);
  return found ? "" : found.error().what;
}

// Class names lose surrounding blanks and empty lines at the end; characters may be such.
TEST(Characters, OnlyTheEndOfALineIsRemoved) {
  EXPECT_THAT(of("a\r\n \n\t\n\u3000\n#\n0\n"), ElementsAre("a", " ", "\t", "\u3000", "#", "0"));
  EXPECT_THAT(of("a\nb"), ElementsAre("a", "b"));
  EXPECT_THAT(of("a\n\n"), ElementsAre("a", ""));
  EXPECT_THAT(of("\xEF\xBB\xBF"
                 "a\n"),
              ElementsAre("a"));
  EXPECT_THAT(of("0 cat\n1 dog\n"), ElementsAre("0 cat", "1 dog"));
}

TEST(Characters, PaddleOcrsYamlHasThemInAList) {
  EXPECT_THAT(of("Global: {}\nPostProcess:\n  name: CTCLabelDecode\n  character_dict:\n  - '0'\n"
                 "  - ''''\n  - \"\\\"\"\n  - \u3000\n  - 漢\n",
                 "inference.yml"),
              ElementsAre("0", "'", "\"", "\u3000", "漢"));
  EXPECT_THAT(refusal("names: [cat]\n", "a.yaml"), HasSubstr("PostProcess.character_dict"));
}

TEST(Characters, AFileThatIsNoneIsRefused) {
  EXPECT_THAT(refusal(""), HasSubstr("holds no character"));
  EXPECT_THAT(refusal("a\n\xFF\n"), HasSubstr("line 2 is not UTF-8"));
  EXPECT_EQ(read_characters("no_such_file.txt").error().kind, ErrorKind::kNotFound);
}

}  // namespace
}  // namespace edgeprobe::names
