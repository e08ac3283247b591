// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "preprocess/recipe/recipe.h"
#include "recipe/field.h"
#include "recipe/scanner.h"

/// Recipes for sensor readings: the steps as rows over sensor::FrontEnd.
namespace edgeprobe::preprocess {

/// In the order in which they run.
recipe::Steps readings_steps();

/// True if one of the steps applies only to readings: axes, rate, or a window of a number of steps.
bool is_of_readings(const recipe::RecipeText& recipe);
/// Combines steps into one front end. kUsage for a step of another kind of recipe, and for one out
/// of order.
Result<Readings> read_readings(std::string_view text, const recipe::RecipeText& recipe);

/// The steps of a front end, each as text and in words.
std::vector<Spelled> spelled_readings(const sensor::FrontEnd& front_end);

}  // namespace edgeprobe::preprocess
