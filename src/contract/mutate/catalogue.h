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

/// A fault of an app, as the pipeline that the app would then be.
struct Mutation {
  std::string kind;  ///< As causes are called: "channel_order".
  std::string what;  ///< "BGR for RGB".
  preprocess::Recipe recipe;
  /// Of a model with states: how they are carried then. Nothing: as they are.
  std::optional<std::vector<pipeline::StatePlace>> states = {};
};

/// A fault that this pipeline may have, and that cannot be planted into it.
struct Unplanted {
  std::string kind, what;
  std::string why;
};

/// Usual mistakes, each a change of the pipeline in one respect. Those that it has no place for are
/// in neither list.
struct Catalogue {
  std::vector<Mutation> faults;
  std::vector<Unplanted> unplanted;
};

/// For a pipeline and its data. Fails as the first sample does, and as the recipe behind "||" when
/// it cannot be parsed.
Result<Catalogue> catalogue(const pipeline::Pipeline& pipeline,
                            const std::vector<dataset::Sample>& samples);

/// In front of a model of pictures. `input`: of the model.
std::vector<Mutation> picture_faults(const preprocess::Recipe& recipe, const TensorSpec& input);
/// Of sound: one of each kind of member that a front end has. `right`: the recipe's.
std::vector<Mutation> sound_faults(const preprocess::Recipe& recipe, const audio::FrontEnd& right,
                                   const audio::Clip& clip);
/// Of readings.
std::vector<Mutation> readings_faults(const preprocess::Recipe& recipe,
                                      const sensor::FrontEnd& right, const sensor::Series& series);
/// Of text. `edits`: flags that the tokenizer can be run with.
std::vector<Mutation> text_faults(const preprocess::Recipe& recipe, const text::FrontEnd& right,
                                  const std::vector<std::string>& edits);
/// Behind the model, for recipes that have such a half: classes, boxes, masks, points, vectors,
/// scores. Turned and mirrored answers have no word in a recipe: they cannot be planted.
void add_answer_faults(const preprocess::Recipe& recipe, Catalogue& into);
/// Between the steps of a model whose states the pipeline carries.
void add_state_faults(const pipeline::Pipeline& pipeline, Catalogue& into);

}  // namespace edgeprobe::contract
