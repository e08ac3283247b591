// SPDX-License-Identifier: Apache-2.0
#include "audio/model_input.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::preprocess {

Result<Tensor> apply(const Recipe& recipe, const audio::Clip& clip, const TensorSpec& model_input) {
  const audio::FrontEnd* const sound = sound_of(recipe);
  if (!sound)
    return Error{ErrorKind::kUsage,
                 "the data is sound, and the recipe one of pictures: give one of sound, e.g. "
                 "--recipe 'mono | resample(16000) | pad(15600) | scale(1/32768)' "
                 "(docs/reference/recipes.md)"};
  return audio::model_input_of(*sound, clip, model_input);
}

}  // namespace edgeprobe::preprocess
