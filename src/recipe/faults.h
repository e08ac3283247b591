// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "recipe/field.h"

/// From a recipe to the mistakes that apps make with it, by the rows of its steps.
namespace edgeprobe::recipe {

/// One argument as an app may have it in place of the recipe's.
struct Fault {
  const Step* step = nullptr;
  const Field* field = nullptr;
  const char* what = "";  ///< "half the threshold".
  Value value;

  void plant(void* recipe) const { field->member.set(recipe, value); }
};

/// Those of the steps that the recipe has, and of those that any recipe of the kind may have.
std::vector<Fault> faults(Steps steps, const void* recipe);

}  // namespace edgeprobe::recipe
