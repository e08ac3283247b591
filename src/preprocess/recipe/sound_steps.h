// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "preprocess/recipe/recipe.h"
#include "recipe/field.h"
#include "recipe/scanner.h"

/// Recipes of sound: the steps as rows over audio::FrontEnd.
namespace edgeprobe::preprocess {

/// In the order in which they run.
recipe::Steps sound_steps();
/// Parts of them: up to the signal that is cut into frames, and from frames to coefficients.
recipe::Steps sound_signal_steps();
recipe::Steps sound_spectrum_steps();

/// Whether one of the steps, or a named front end, is about sound alone.
bool is_of_sound(const recipe::RecipeText& recipe);
/// Steps into one front end. A named one comes first and stands for all of its steps; steps behind
/// it change them. kUsage for a step of pictures, and for one that stands too late.
Result<Sound> read_sound(std::string_view text, const recipe::RecipeText& recipe);

/// The steps that a front end consists of, each as text and in words.
std::vector<Spelled> spelled_sound(const audio::FrontEnd& front_end);

}  // namespace edgeprobe::preprocess
