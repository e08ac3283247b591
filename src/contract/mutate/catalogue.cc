// SPDX-License-Identifier: Apache-2.0
#include "contract/mutate/catalogue.h"

#include <utility>

#include "pipeline/tokenizer/tokenizer.h"

namespace edgeprobe::contract {
namespace {

Result<std::vector<Mutation>> front_faults(const pipeline::Pipeline& pipeline,
                                           const std::vector<dataset::Sample>& samples) {
  const preprocess::Recipe& recipe = pipeline.recipe;
  if (preprocess::text_of(recipe))
    return text_faults(
        recipe, pipeline.tokenizer ? pipeline.tokenizer->edits() : std::vector<std::string>());
  if (recipe.steps.empty() || !pipeline.made_input) return std::vector<Mutation>();
  const bool is_sound = preprocess::sound_of(recipe), is_readings = preprocess::readings_of(recipe);
  if (!is_sound && !is_readings) return picture_faults(recipe, pipeline.input());
  const auto loaded = samples.front().load();
  if (!loaded) return Error(loaded.error());
  if (is_sound) {
    const dataset::Sound* const sound = dataset::sound_of(loaded->input);
    return sound ? sound_faults(recipe, sound->clip) : std::vector<Mutation>();
  }
  const auto series = dataset::readings_of(loaded->input);
  if (!series) return Error(series.error());
  return readings_faults(recipe, *series);
}

}  // namespace

Result<Catalogue> catalogue(const pipeline::Pipeline& pipeline,
                            const std::vector<dataset::Sample>& samples) {
  Catalogue out;
  if (pipeline.function) {
    out.unplanted.push_back({"pre-processing", "", "it is a function of your own"});
  } else if (pipeline.has_recipe()) {
    auto front = front_faults(pipeline, samples);
    if (!front) return std::move(front.error());
    out.faults = *std::move(front);
  }
  if (pipeline.has_recipe()) add_answer_faults(pipeline.recipe, out);
  add_state_faults(pipeline, out);
  out.unplanted.push_back({"other_frame", "a picture of before, or two in one",
                           "the samples are read one by one, without an app's buffers"});
  out.unplanted.push_back({"weights, kernel, precision", "",
                           "they are of the model's file and its engine: 'drift' judges them"});
  return out;
}

}  // namespace edgeprobe::contract
