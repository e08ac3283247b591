// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "preprocess/recipe/recipe_words.h"
#include "recipe/arguments.h"

namespace edgeprobe::preprocess {

using recipe::Argument;
using recipe::Arguments;
using recipe::RecipeText;
using recipe::StepText;

}  // namespace edgeprobe::preprocess
