// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "audio/clip.h"
#include "core/tensor.h"
#include "dataset/sample.h"
#include "pipeline/spec.h"
#include "preprocess/recipe/recipe.h"
#include "sensor/series.h"

namespace edgeprobe::contract {

/// A fault of an app: its description, and the pipeline of an app that has it.
struct Mutation {
  std::string kind;  ///< Kind of the resulting cause: "channel_order".
  std::string what;  ///< "BGR for RGB".
  preprocess::Recipe recipe;
  /// For a model with states: how they are carried with the fault. Unset: unchanged.
  std::optional<std::vector<pipeline::StatePlace>> states = {};
};

/// A possible fault of this pipeline that cannot be planted.
struct Unplanted {
  std::string kind, what;
  std::string why;
};

/// Common mistakes, each a single change of the pipeline. Those that do not apply are in neither
/// list.
struct Catalogue {
  std::vector<Mutation> faults;
  std::vector<Unplanted> unplanted;
};

/// For a pipeline and its data. Fails if the first sample cannot be read, or the recipe after "||"
/// cannot be parsed.
Result<Catalogue> catalogue(const pipeline::Pipeline& pipeline,
                            const std::vector<dataset::Sample>& samples);

/// Faults of a model of pictures. `input`: the model's.
std::vector<Mutation> picture_faults(const preprocess::Recipe& recipe, const TensorSpec& input);
/// Faults for sound: one for each kind of front-end member. `right`: the recipe's front end.
std::vector<Mutation> sound_faults(const preprocess::Recipe& recipe, const audio::FrontEnd& right,
                                   const audio::Clip& clip);
/// For readings.
std::vector<Mutation> readings_faults(const preprocess::Recipe& recipe,
                                      const sensor::FrontEnd& right, const sensor::Series& series);
/// Faults for text. `edits`: flags that the tokenizer supports.
std::vector<Mutation> text_faults(const preprocess::Recipe& recipe, const text::FrontEnd& right,
                                  const std::vector<std::string>& edits);
/// After the model, for recipes with a post-processing part: classes, boxes, masks, points,
/// vectors, scores. Recipes cannot express rotated and mirrored answers, so these cannot be
/// planted.
void add_answer_faults(const preprocess::Recipe& recipe, Catalogue& into);
/// Between the steps of a model whose states the pipeline carries.
void add_state_faults(const pipeline::Pipeline& pipeline, Catalogue& into);

}  // namespace edgeprobe::contract
