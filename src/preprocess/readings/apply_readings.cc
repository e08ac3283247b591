// SPDX-License-Identifier: Apache-2.0
#include "preprocess/recipe/recipe.h"
#include "sensor/model_input.h"

namespace edgeprobe::preprocess {

Result<Tensor> apply(const Recipe& recipe, const sensor::Series& series,
                     const TensorSpec& model_input) {
  const sensor::FrontEnd* const front_end = readings_of(recipe);
  if (!front_end)
    return Error{ErrorKind::kUsage,
                 "the data are readings of a sensor, and the recipe is one of something else: give "
                 "one of readings, e.g. --recipe 'axes(x, y, z) | window(128) | normalize(mean=0, "
                 "std=9.8)' (docs/reference/recipes.md)"};
  return sensor::model_input_of(*front_end, series, model_input);
}

}  // namespace edgeprobe::preprocess
