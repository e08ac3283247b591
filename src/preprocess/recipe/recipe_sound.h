// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "preprocess/recipe/recipe.h"
#include "preprocess/recipe/recipe_arguments.h"

/// The half of the recipe language that is about sound.
namespace edgeprobe::preprocess {

/// Whether one of the steps, or a named front end, is about sound alone.
bool is_of_sound(const RecipeText& recipe);
/// Steps into one front end. A named one comes first and stands for all of its steps; steps behind
/// it change them. kUsage for a step of pictures, and for one that stands too late.
Result<Sound> read_sound(std::string_view text, const RecipeText& recipe);

/// The steps that a front end consists of, each as text and in words.
std::vector<Spelled> spelled_sound(const audio::FrontEnd& front_end);
std::vector<std::string> sound_step_names();

}  // namespace edgeprobe::preprocess
