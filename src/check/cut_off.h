// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/tensor.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::check {

/// Why a recipe of pictures cannot be meant for this quantised input: most pixel values lie beyond
/// what its codes hold. Empty: they fit, or the recipe does not quantise. Both sides of a check may
/// have the same such recipe, and agree.
std::string cut_off_doubt(const preprocess::Recipe& recipe, const TensorSpec& input);

}  // namespace edgeprobe::check
