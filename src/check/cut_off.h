// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/tensor.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::check {

/// Reason why a picture recipe cannot be meant for this quantised input: most pixel values exceed
/// the range of its codes. Empty if they fit, or the recipe does not quantise. Both sides of a
/// check may share the mistake, and agree.
std::string cut_off_doubt(const preprocess::Recipe& recipe, const TensorSpec& input);

}  // namespace edgeprobe::check
