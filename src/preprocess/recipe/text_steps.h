// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "preprocess/recipe/recipe.h"
#include "recipe/field.h"
#include "recipe/scanner.h"

/// Recipes of text: the steps from tokenize on as rows over text::FrontEnd, and the changes of the
/// text before it, of which there may be any number in any order.
namespace edgeprobe::preprocess {

/// In the order in which they run.
recipe::Steps text_steps();
/// The changes: steps without an argument, and those with a text between quotes.
recipe::Words text_changes();
recipe::Words texts_around();
/// All that a recipe may have: the changes, and the steps from tokenize on.
recipe::Steps text_rows();

/// Whether one of the steps is tokenize.
bool is_of_text(const recipe::RecipeText& recipe);
/// Steps into one front end. kUsage for a step of pictures or sound, and for one that stands too
/// late.
Result<Text> read_text(std::string_view text, const recipe::RecipeText& recipe);

/// The steps that a front end consists of, each as text and in words.
std::vector<Spelled> spelled_text(const text::FrontEnd& front_end);

}  // namespace edgeprobe::preprocess
