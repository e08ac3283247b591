// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "audio/clip.h"
#include "core/tensor.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::contract {

/// A fault of an app, as the recipe that the app would then run.
struct Mutation {
  std::string kind;  ///< As causes are called: "channel_order".
  std::string what;  ///< "BGR for RGB".
  preprocess::Recipe recipe;
};

/// Usual mistakes in front of a model of pictures, each a change of the recipe in one respect.
/// Those that the recipe has no place for are left out. `input`: of the model.
std::vector<Mutation> picture_faults(const preprocess::Recipe& recipe, const TensorSpec& input);

/// The same of sound: one of each kind of member that a front end has.
std::vector<Mutation> sound_faults(const preprocess::Recipe& recipe, const audio::Clip& clip);

/// The same behind the model, for recipes that make classes; none without such a half.
std::vector<Mutation> answer_faults(const preprocess::Recipe& recipe);

}  // namespace edgeprobe::contract
