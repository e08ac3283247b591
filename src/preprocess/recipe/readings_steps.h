// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "preprocess/recipe/recipe.h"
#include "recipe/field.h"
#include "recipe/scanner.h"

/// Recipes of a sensor's readings: the steps as rows over sensor::FrontEnd.
namespace edgeprobe::preprocess {

/// In the order in which they run.
recipe::Steps readings_steps();

/// Whether one of the steps is about readings alone: axes, rate, or a window of so many steps.
bool is_of_readings(const recipe::RecipeText& recipe);
/// Steps into one front end. kUsage for a step of something else, and for one that stands too late.
Result<Readings> read_readings(std::string_view text, const recipe::RecipeText& recipe);

/// The steps that a front end consists of, each as text and in words.
std::vector<Spelled> spelled_readings(const sensor::FrontEnd& front_end);

}  // namespace edgeprobe::preprocess
