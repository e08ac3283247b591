// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "preprocess/recipe/recipe.h"
#include "recipe/field.h"
#include "recipe/scanner.h"

/// Recipes for sound: the steps as rows over audio::FrontEnd.
namespace edgeprobe::preprocess {

/// In the order in which they run.
recipe::Steps sound_steps();
/// The two parts of sound_steps(): up to the signal that is cut into frames, and from frames to
/// coefficients.
recipe::Steps sound_signal_steps();
recipe::Steps sound_spectrum_steps();

/// True if one of the steps, or a named front end, applies only to sound.
bool is_of_sound(const recipe::RecipeText& recipe);
/// Combines steps into one front end. A named front end comes first and replaces all of its steps;
/// later steps modify it. kUsage for a picture step, and for one out of order.
Result<Sound> read_sound(std::string_view text, const recipe::RecipeText& recipe);

/// The steps of a front end, each as text and in words.
std::vector<Spelled> spelled_sound(const audio::FrontEnd& front_end);

}  // namespace edgeprobe::preprocess
