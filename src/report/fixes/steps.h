// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "preprocess/recipe/recipe.h"

namespace edgeprobe::report {

using FixCode = std::map<std::string, std::string>;

/// The last step of this type in the recipe; null if there is none.
template <class StepType>
const StepType* last_step(const preprocess::Recipe& recipe) {
  const StepType* found = nullptr;
  for (const preprocess::Step& step : recipe.steps)
    if (const auto* match = std::get_if<StepType>(&step)) found = match;
  return found;
}

/// A number in Python and Kotlin syntax, with nine digits.
std::string plain(double value);

FixCode resize_code(const preprocess::Recipe& reference);
FixCode crop_code(const preprocess::Recipe& reference);
FixCode orientation_code(const preprocess::Recipe& reference);

}  // namespace edgeprobe::report
