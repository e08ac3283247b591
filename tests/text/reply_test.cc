// SPDX-License-Identifier: Apache-2.0
#include "pipeline/tokenizer/reply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/tokenizer/tokenizer.h"

namespace edgeprobe::pipeline::tokenizer_wire {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(TokenizerReply, GivesIdsOfEveryText) {
  const std::string body = R"({"ids": [[[1, 2], []], [[2147483647]]]})";
  const auto tokens = parse_tokens(view_of(body), {2, 1});
  ASSERT_TRUE(tokens) << tokens.error().what;
  EXPECT_THAT((*tokens)[0][0], ElementsAre(1, 2));
  EXPECT_TRUE((*tokens)[0][1].empty());
  EXPECT_THAT((*tokens)[1][0], ElementsAre(2147483647));
}

TEST(TokenizerReply, IsRefusedWhereItIsNonsense) {
  for (const char* body :
       {"", "[]", "{}", R"({"ids": 3})", R"({"ids": []})", R"({"ids": [[[1]], 2]})",
        R"({"ids": [[[1]], [[2], [3]]]})", R"({"ids": [[[1]], [["2"]]]})",
        R"({"ids": [[[1]], [[2.0]]]})", R"({"ids": [[[1]], [[-1]]]})",
        R"({"ids": [[[1]], [[2147483648]]]})", R"({"ids": [[[1]], [[18446744073709551615]]]})"}) {
    const auto tokens = parse_tokens(view_of(std::string_view(body)), {1, 1});
    ASSERT_FALSE(tokens) << body;
    EXPECT_THAT(tokens.error().what, HasSubstr("invalid answer"));
  }
  EXPECT_FALSE(parse_words(view_of(std::string_view(R"({"words": ["a"]})")), 2));
}

TEST(TokenizerReply, GivesWordsWhereThereAreSome) {
  const auto words = parse_words(view_of(std::string_view(R"({"words": ["a", null]})")), 2);
  ASSERT_TRUE(words);
  EXPECT_EQ((*words)[0], "a");
  EXPECT_FALSE((*words)[1]);
}

TEST(TokenizerSpec, IsAFileAFunctionOrACommand) {
  EXPECT_EQ(tokenizer_from_text("spm_encode --output_format=id")->kind,
            TokenizerSpec::Kind::kCommand);
  EXPECT_THAT(tokenizer_from_text("missing.json").error().what, HasSubstr("no such file"));
  EXPECT_THAT(tokenizer_from_text("missing.py:ids").error().what, HasSubstr("no such file"));
  EXPECT_EQ(tokenizer_from_text(" ").error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace edgeprobe::pipeline::tokenizer_wire
