// SPDX-License-Identifier: Apache-2.0
#include "postprocess/recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "postprocess/tables.h"

namespace edgeprobe::postprocess {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string canonical(std::string_view text) {
  const auto recipe = parse(text);
  return recipe ? to_text(*recipe) : recipe.error().what;
}

Error refusal(std::string_view text) {
  auto recipe = parse(text);
  EXPECT_FALSE(recipe) << "parsed: " << text;
  return recipe ? Error{} : std::move(recipe).error();
}

TEST(PostRecipeText, CanonicalFormsReadBackAsThemselves) {
  for (const std::string text : {
           "dequantize | softmax | topk(5) | threshold(0.2) | labels(a/labels.txt)",
           "output(1) | codes | sigmoid | sigmoid | skip(1) | sort(ascending) | topk(3)",
           "dequantize(zero_point=ignored, sign=flipped) | log_softmax | sort(none) | percent",
           "dequantize(sign=flipped) | softmax(axis=batch) | threshold(-1e-05)",
           "codes(of=255) | share | of_largest | stretch | exp",
           "codes(sign=flipped) | labels(a.txt, other=b.txt, shift=-1, order=other)",
           "dequantize(zero_point=ignored) | labels(a.txt, order=as_text)",
       })
    EXPECT_EQ(canonical(text), text);
}

TEST(PostRecipeText, ShortFormsBecomeCanonical) {
  EXPECT_EQ(canonical("softmax|topk( 5 )"), "codes | softmax | topk(5)");
  EXPECT_EQ(canonical(" dequantize | labels(x.txt) | threshold(.2) | topk(1)"),
            "dequantize | topk(1) | threshold(0.2) | labels(x.txt)");
  EXPECT_EQ(canonical("softmax(axis=classes) | sort(descending)"), "codes | softmax");
}

TEST(PostRecipeText, ErrorsNameStepColumnAndNearestWord) {
  EXPECT_THAT(refusal("dequantize | softmx").what,
              AllOf(HasSubstr("behind \"||\""), HasSubstr("step 2"), HasSubstr("column 14"),
                    HasSubstr("did you mean \"softmax\"?")));
  EXPECT_THAT(refusal("topk(0)").what, AllOf(HasSubstr("column 6"), HasSubstr("from 1 to")));
  EXPECT_THAT(refusal("labels(a.txt, order=alphabetcal)").what,
              HasSubstr("did you mean \"alphabetical\"?"));
  EXPECT_THAT(refusal("labels(a.txt, order=other)").what, HasSubstr("other=FILE"));
  EXPECT_THAT(refusal("labels(a.txt, shfit=1)").what, HasSubstr("did you mean \"shift\"?"));
  EXPECT_THAT(refusal("threshold(high)").what, HasSubstr("expected a number"));
  EXPECT_THAT(refusal("").what, HasSubstr("no step"));
  EXPECT_THAT(refusal("softmax || topk(1)").what, HasSubstr("stands once"));
}

TEST(PostRecipeText, StepsStandInOneOrder) {
  EXPECT_THAT(refusal("softmax | dequantize").what,
              HasSubstr("dequantize must come before softmax"));
  EXPECT_THAT(refusal("percent | threshold(20)").what,
              HasSubstr("threshold must come before percent"));
  EXPECT_THAT(refusal("topk(1) | topk(2)").what, HasSubstr("appears twice"));
  EXPECT_THAT(refusal("codes | dequantize").what, HasSubstr("exclude each other"));
  EXPECT_THAT(refusal("softmax|softmax|softmax|softmax|softmax").what, HasSubstr("over 4"));
}

TEST(PostRecipeText, StepsOfOtherTasksAreRefusedByName) {
  const Error refused = refusal("decode(ssd) | nms(0.45)");
  EXPECT_EQ(refused.kind, ErrorKind::kUnsupported);
  EXPECT_THAT(refused.what, HasSubstr("decode is not supported in this version"));
}

TEST(LabelFile, OrdersAreThoseOfApps) {
  Labels labels;
  labels.table.names = {"pear", "Fig", "apple", "d3", "d4", "d5", "d6", "d7", "d8", "d9", "ten"};
  EXPECT_EQ(in_order(labels, TableOrder::kAlphabetical).front(), "Fig");
  EXPECT_EQ(in_order(labels, TableOrder::kNoCase).front(), "apple");
  EXPECT_EQ(in_order(labels, TableOrder::kAsText)[2], "ten");  // 0, 1, 10, 2
  EXPECT_EQ(in_order(labels, TableOrder::kReversed)[10], "pear");
  EXPECT_EQ(in_order(labels, TableOrder::kNumbers)[4], "4");
  labels.other = Table{"b.txt", "", {"x", "y"}};
  EXPECT_THAT(in_order(labels, TableOrder::kOther), ElementsAre("x", "y"));
}

TEST(LabelFile, AMissingOneIsNamed) {
  auto recipe = parse("labels(/nowhere/labels.txt)");
  ASSERT_TRUE(recipe);
  const auto loaded = load_tables(*recipe);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().kind, ErrorKind::kNotFound);
  EXPECT_THAT(loaded.error().what, AllOf(HasSubstr("label file"), HasSubstr("/nowhere")));
}

}  // namespace
}  // namespace edgeprobe::postprocess
