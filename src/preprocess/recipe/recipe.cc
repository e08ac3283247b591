// SPDX-License-Identifier: Apache-2.0
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::preprocess {

const Decode* decode_step(const Recipe& recipe) {
  return recipe.steps.empty() ? nullptr : std::get_if<Decode>(&recipe.steps.front());
}

Recipe without_decode(const Recipe& recipe) {
  Recipe rest = recipe;
  if (decode_step(recipe)) rest.steps.erase(rest.steps.begin());
  return rest;
}

const audio::FrontEnd* sound_of(const Recipe& recipe) {
  const Sound* const sound = recipe.steps.empty() ? nullptr : std::get_if<Sound>(&recipe.steps[0]);
  return sound ? &sound->front_end : nullptr;
}

Recipe recipe_of(const audio::FrontEnd& front_end) { return {{Sound{front_end}}, ""}; }

const sensor::FrontEnd* readings_of(const Recipe& recipe) {
  const auto* const readings =
      recipe.steps.empty() ? nullptr : std::get_if<Readings>(&recipe.steps[0]);
  return readings ? &readings->front_end : nullptr;
}

Recipe recipe_of(const sensor::FrontEnd& front_end) { return {{Readings{front_end}}, ""}; }

const text::FrontEnd* text_of(const Recipe& recipe) {
  const Text* const text = recipe.steps.empty() ? nullptr : std::get_if<Text>(&recipe.steps[0]);
  return text ? &text->front_end : nullptr;
}

Recipe recipe_of(const text::FrontEnd& front_end) { return {{Text{front_end}}, ""}; }

}  // namespace edgeprobe::preprocess
