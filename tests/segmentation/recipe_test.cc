// SPDX-License-Identifier: Apache-2.0
#include "postprocess/segmentation/recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace edgeprobe::postprocess::segmentation {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string complaint(std::string_view text) {
  const auto recipe = parse(text);
  return recipe ? "none" : recipe.error().what;
}

TEST(MaskRecipe, ATextBehindTheBarsIsOfMasksByItsSteps) {
  EXPECT_TRUE(is_segmentation("argmax"));
  EXPECT_TRUE(is_segmentation("ids | resize(picture, nearest)"));
  EXPECT_TRUE(is_segmentation("sigmoid | mask(0.5)"));
  EXPECT_FALSE(is_segmentation("dequantize | softmax | topk(5)"));
  EXPECT_FALSE(is_segmentation("argmax("));
}

TEST(MaskRecipe, ScoresAreResizedInFrontOfTheDecisionAndClassesBehindIt) {
  const auto scores = parse("dequantize | softmax | resize(picture) | argmax(axis=first)");
  ASSERT_TRUE(scores) << scores.error().what;
  EXPECT_TRUE(scores->resizing->is_of_scores);
  EXPECT_TRUE(scores->resizing->is_bilinear);
  EXPECT_FALSE(scores->resizing->to);
  EXPECT_TRUE(scores->is_channels_first);
  EXPECT_EQ(scores->reading, Reading::kValues);
  EXPECT_EQ(scores->activations, std::vector{Activation::kSoftmax});

  const auto classes = parse("output(1) | ids | resize(20x30, align=legacy, frame=letterbox)");
  ASSERT_TRUE(classes) << classes.error().what;
  EXPECT_EQ(classes->output, 1u);
  EXPECT_EQ(classes->decision, Decision::kIds);
  EXPECT_FALSE(classes->resizing->is_of_scores);
  EXPECT_FALSE(classes->resizing->is_bilinear);
  EXPECT_EQ(classes->resizing->to->height, 20);
  EXPECT_EQ(classes->resizing->to->width, 30);
  EXPECT_EQ(classes->resizing->align, preprocess::Align::kLegacy);
  EXPECT_EQ(classes->frame, detection::Scale::kLetterbox);
}

TEST(MaskRecipe, TheCanonicalTextReadsBackAsTheSame) {
  for (const char* text :
       {"codes | argmax", "dequantize | sigmoid | mask(0.35) | resize(picture, nearest)",
        "codes | ids | resize(257x129, bilinear, align=corners) | colors(voc.txt)",
        "output(2) | codes | softmax | resize(picture, bilinear, frame=letterbox_centered) | "
        "argmax(axis=first)"}) {
    const auto recipe = parse(text);
    ASSERT_TRUE(recipe) << text << ": " << recipe.error().what;
    EXPECT_EQ(to_text(*recipe), text);
  }
}

TEST(MaskRecipe, WhatIsWrongIsSaidWithItsPlace) {
  EXPECT_THAT(complaint("argmaxx"), HasSubstr("argmax"));
  EXPECT_THAT(complaint("softmax | resize(picture)"), HasSubstr("none is there"));
  EXPECT_THAT(complaint("argmax | ids"), HasSubstr("argmax and ids exclude each other"));
  EXPECT_THAT(complaint("colors(c.txt)"), HasSubstr("decided by argmax, ids or mask"));
  EXPECT_THAT(complaint("argmax | softmax"), HasSubstr("softmax must come before argmax"));
  EXPECT_THAT(complaint("resize(picture) | argmax | resize(picture)"),
              HasSubstr("resize appears twice"));
  EXPECT_THAT(complaint("resize(picture) | ids"), HasSubstr("resize stands behind them"));
  EXPECT_THAT(complaint("argmax | resize(screen)"), HasSubstr("column 17"));
  EXPECT_THAT(complaint("argmax | resize(picture, bicubic)"), HasSubstr("bicubic"));
  EXPECT_THAT(complaint("mask(much)"), HasSubstr("much"));
  EXPECT_THAT(complaint("argmax | colors(a(b)"), HasSubstr("do not pair"));
  EXPECT_THAT(complaint("argmax | colors(a[b)"), HasSubstr("do not pair"));
  EXPECT_THAT(complaint("argmax | colors"), HasSubstr("#rrggbb"));
  EXPECT_THAT(complaint("sigmoid|sigmoid|sigmoid|sigmoid|sigmoid|mask(0)"), HasSubstr("over 4"));
}

TEST(ColorFile, HasOneColorALine) {
  const auto numbers = palette_of(view_of("#000000\n 255, 128, 0 \r\n\n1 2 3\n7\n"));
  ASSERT_TRUE(numbers) << numbers.error().what;
  EXPECT_THAT(*numbers, ElementsAre(0, 0xff8000, 0x010203, 7));
  for (const char* bad : {"", "#12345", "#gg0000", "1,2", "1,2,3,4", "1,2,256", "red", "-1"}) {
    const auto read = palette_of(view_of(bad));
    ASSERT_FALSE(read) << bad;
    EXPECT_EQ(read.error().kind, ErrorKind::kCorrupt);
  }
  EXPECT_THAT(palette_of(view_of("0\nred")).error().what, HasSubstr("line 2"));
}

}  // namespace
}  // namespace edgeprobe::postprocess::segmentation
