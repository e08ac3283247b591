// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "preprocess/recipe/recipe.h"
#include "recipe/field.h"
#include "recipe/scanner.h"

/// Recipes for text: the steps from tokenize on as rows over text::FrontEnd, preceded by any number
/// of changes of the text, in any order.
namespace edgeprobe::preprocess {

/// In the order in which they run.
recipe::Steps text_steps();
/// The changes of a text: steps without an argument, and steps with a quoted text.
recipe::Words text_changes();
recipe::Words texts_around();
/// All steps that a text recipe may have: the changes, and the steps from tokenize on.
recipe::Steps text_rows();

/// True if one of the steps is tokenize.
bool is_of_text(const recipe::RecipeText& recipe);
/// Combines steps into one front end. kUsage for a picture or sound step, and for one out of order.
Result<Text> read_text(std::string_view text, const recipe::RecipeText& recipe);

/// The steps of a front end, each as text and in words.
std::vector<Spelled> spelled_text(const text::FrontEnd& front_end);

}  // namespace edgeprobe::preprocess
