// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "preprocess/recipe/recipe.h"
#include "preprocess/recipe/recipe_arguments.h"

/// The half of the recipe language that is about text.
namespace edgeprobe::preprocess {

/// Whether one of the steps is tokenize.
bool is_of_text(const RecipeText& recipe);
/// Steps into one front end. kUsage for a step of pictures or sound, and for one that stands too
/// late.
Result<Text> read_text(std::string_view text, const RecipeText& recipe);

/// The steps that a front end consists of, each as text and in words.
std::vector<Spelled> spelled_text(const text::FrontEnd& front_end);

}  // namespace edgeprobe::preprocess
