// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "preprocess/recipe/recipe.h"

namespace edgeprobe::preprocess {
namespace {

using testing::HasSubstr;

TEST(TextRecipe, IsReadAndWrittenBack) {
  for (const char* text :
       {"tokenize",
        "lower | strip_accents | tokenize | special(cls=101, sep=102) | truncate(128) | pad(128) | "
        "mask | types",
        "nfkc | prefix(\"query\\x3a \") | tokenize(edit=case_kept, pair=swapped, shift=-1, "
        "front=[5, 6], back=[7], memory=int64_as_int32, input=ids) | "
        "special(bos=1, eos=2, bos_times=0, eos_times=2, between=2) | truncate(64, side=left, "
        "special=cut) | pad(64, id=3, side=left) | mask(ones, input=m) | "
        "types(1) | positions(2, padding=1)"}) {
    const auto recipe = parse_recipe(text);
    ASSERT_TRUE(recipe) << recipe.error().what;
    ASSERT_NE(text_of(*recipe), nullptr);
    EXPECT_EQ(to_text(*recipe), text);
  }
  const auto recipe =
      parse_recipe("prefix(\"a\\x2c b\") | tokenize | special(eos=1) | pad(8, id=9)");
  ASSERT_TRUE(recipe);
  const text::FrontEnd& f = *text_of(*recipe);
  EXPECT_EQ(f.before.at(0).text, "a, b");
  EXPECT_FALSE(f.special.first);
  EXPECT_EQ(f.special.last, 1);
  EXPECT_EQ(f.pad->id, 9);
}

TEST(TextRecipe, SaysWhatIsWrongAndWhere) {
  const auto refusal = [](const char* text) { return parse_recipe(text).error().what; };
  EXPECT_THAT(refusal("tokenize | lower"), HasSubstr("recipe step 2 \"lower\", column 12"));
  EXPECT_THAT(refusal("tokenize | lower"), HasSubstr("put it before tokenize"));
  EXPECT_THAT(refusal("mask | tokenize"), HasSubstr("put tokenize before it"));
  EXPECT_THAT(refusal("tokenize | pad(8) | truncate(8)"), HasSubstr("truncate runs before pad"));
  EXPECT_THAT(refusal("tokenize | mask | mask"), HasSubstr("given twice"));
  EXPECT_THAT(refusal("tokenize | resize(8x8, bilinear)"), HasSubstr("recipe of text"));
  EXPECT_THAT(refusal("tokenize | special(cls=1, eos=2)"), HasSubstr("special(cls=ID, sep=ID)"));
  EXPECT_THAT(refusal("tokenize | truncate"), HasSubstr("a number of tokens"));
  EXPECT_THAT(refusal("prefix(query) | tokenize"), HasSubstr("double quotes"));
  EXPECT_THAT(refusal("prefix(\"\\x4\") | tokenize"), HasSubstr("two digits"));
  EXPECT_THAT(refusal("tokenise | tokenize"), HasSubstr("tokenize"));
}

}  // namespace
}  // namespace edgeprobe::preprocess
