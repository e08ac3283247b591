// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result.h"
#include "dataset/sample.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::pipeline {

/// Returns the picture that a recipe's steps begin with: the input's own, or its recorded bytes
/// decoded as the recipe's decode(…) step states. kUsage if that step does not fit the bytes, or if
/// only pixels are known.
Result<preprocess::Image> picture_for(const preprocess::Recipe& recipe,
                                      const dataset::Picture& picture);

/// Returns the model input that a recipe produces from a raw input, including its decode(…) step.
/// kUsage for recorded tensors without a picture.
Result<Tensor> model_input(const preprocess::Recipe& recipe, const dataset::Picture& picture,
                           const TensorSpec& spec);
Result<Tensor> model_input(const preprocess::Recipe& recipe, const dataset::RawInput& input,
                           const TensorSpec& spec);

}  // namespace edgeprobe::pipeline
