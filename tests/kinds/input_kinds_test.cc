// SPDX-License-Identifier: Apache-2.0
#include "kinds/input_kinds.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace edgeprobe::kinds {
namespace {

InputId kind_of_text(const std::string& text) {
  const auto recipe = preprocess::parse_recipe(text);
  EXPECT_TRUE(recipe) << recipe.error().what;
  return kind_of(*recipe).id;
}

TEST(InputKinds, HaveNamesAndEncodingsOfTheirOwn) {
  std::set<std::string> names, encodings;
  for (const InputKind& kind : input_kinds()) {
    EXPECT_EQ(kind_of(kind.id).name, kind.name);
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    if (*kind.encoding) {
      EXPECT_TRUE(encodings.insert(kind.encoding).second) << kind.encoding;
    }
  }
  EXPECT_EQ(names.size(), 5u);
  EXPECT_EQ(encodings.size(), 3u);
}

TEST(InputKinds, ARecipeIsOfOneKind) {
  EXPECT_EQ(kind_of_text("resize(8x8, bilinear) | scale(0..1)"), InputId::kPicture);
  EXPECT_EQ(kind_of_text("yamnet"), InputId::kSound);
  EXPECT_EQ(kind_of_text("axes(x, y, z) | window(128)"), InputId::kReadings);
  EXPECT_EQ(kind_of_text("tokenize | truncate(8) | pad(8) | mask"), InputId::kText);
}

TEST(InputKinds, AnEmptyRecipeIsOfPictures) {
  const preprocess::Recipe empty;
  EXPECT_EQ(kind_of(empty).id, InputId::kPicture);
  EXPECT_EQ(std::get<const preprocess::Recipe*>(front_end_of(empty)), &empty);
}

TEST(InputKinds, AFrontEndIsBorrowedFromItsRecipe) {
  preprocess::Recipe recipe = preprocess::recipe_of(text::FrontEnd{});
  const auto* const step = std::get_if<preprocess::Text>(&recipe.steps.front());
  ASSERT_NE(step, nullptr);
  EXPECT_EQ(std::get<const text::FrontEnd*>(front_end_of(recipe)), &step->front_end);
  EXPECT_EQ(preprocess::text_of(recipe), &step->front_end);
}

}  // namespace
}  // namespace edgeprobe::kinds
