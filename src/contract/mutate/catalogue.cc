// SPDX-License-Identifier: Apache-2.0
#include "contract/mutate/catalogue.h"

#include <utility>

#include "kinds/input_kinds.h"
#include "pipeline/tokenizer/tokenizer.h"

namespace edgeprobe::contract {
namespace {

/// Faults before the model, by the kind of its input.
struct FrontMistakes {
  using Faults = Result<std::vector<Mutation>>;
  const pipeline::Pipeline& pipeline;
  const std::vector<dataset::Sample>& samples;

  Faults operator()(const text::FrontEnd* right) const {
    const pipeline::Tokenizer* const tokenizer = pipeline.tokenizer.get();
    return text_faults(pipeline.recipe, *right,
                       tokenizer ? tokenizer->edits() : std::vector<std::string>());
  }
  Faults operator()(const preprocess::Recipe* recipe) const {
    if (recipe->steps.empty() || !pipeline.made_input) return std::vector<Mutation>();
    return picture_faults(*recipe, pipeline.input());
  }
  Faults operator()(const audio::FrontEnd* right) const {
    if (!pipeline.made_input) return std::vector<Mutation>();
    EP_TRY(const auto loaded, samples.front().load());
    const dataset::Sound* const sound = dataset::sound_of(loaded.input);
    return sound ? sound_faults(pipeline.recipe, *right, sound->clip) : std::vector<Mutation>();
  }
  Faults operator()(const sensor::FrontEnd* right) const {
    if (!pipeline.made_input) return std::vector<Mutation>();
    EP_TRY(const auto loaded, samples.front().load());
    EP_TRY(const auto series, dataset::readings_of(loaded.input));
    return readings_faults(pipeline.recipe, *right, series);
  }
};

}  // namespace

Result<Catalogue> catalogue(const pipeline::Pipeline& pipeline,
                            const std::vector<dataset::Sample>& samples) {
  Catalogue out;
  if (pipeline.function) {
    out.unplanted.push_back({"pre-processing", "", "it is a function of your own"});
  } else if (pipeline.has_recipe()) {
    EP_TRY(out.faults,
           std::visit(FrontMistakes{pipeline, samples}, kinds::front_end_of(pipeline.recipe)));
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
