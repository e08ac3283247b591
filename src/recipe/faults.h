// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "recipe/field.h"

/// Derives the mistakes that apps make with a recipe from the rows of its steps.
namespace edgeprobe::recipe {

/// A wrong argument that an app may use instead of the recipe's.
struct Fault {
  const Step* step = nullptr;
  const Field* field = nullptr;
  const char* what = "";  ///< "half the threshold".
  Value value;

  void plant(void* recipe) const { field->member.set(recipe, value); }
};

/// Faults of the recipe's steps, and of those that any recipe of the kind may have.
std::vector<Fault> faults(Steps steps, const void* recipe);

}  // namespace edgeprobe::recipe
