// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "contract/mutate/catalogue.h"
#include "diagnose/sound/changes.h"
#include "postprocess/detection/recipe.h"
#include "postprocess/recipe.h"

namespace edgeprobe::contract {

std::vector<Mutation> sound_faults(const preprocess::Recipe& recipe, const audio::Clip& clip) {
  namespace sound = diagnose::sound;
  std::vector<Mutation> faults;
  const audio::FrontEnd* const right = preprocess::sound_of(recipe);
  if (!right) return faults;
  std::vector<audio::FrontEnd> changed = sound::structural_changes(*right, clip);
  const std::vector<audio::FrontEnd> affine = sound::affine_changes(*right);
  changed.insert(changed.end(), affine.begin(), affine.end());
  std::set<std::string> seen;
  for (const audio::FrontEnd& one : changed) {
    const auto kinds = sound::kinds_between(*right, one);
    // The first of each kind alone: a table of hundreds would be read by nobody.
    if (kinds.size() != 1 || !seen.insert(*kinds.begin()).second) continue;
    preprocess::Recipe mutated = preprocess::recipe_of(one);
    mutated.post = recipe.post;
    std::string kind = "sound";
    for (const sound::Member& member : sound::members())
      if (*kinds.begin() == member.kind) kind = diagnose::name(member.cause);
    faults.push_back({kind, sound::described(one, *right, *kinds.begin()), std::move(mutated)});
  }
  return faults;
}

std::vector<Mutation> answer_faults(const preprocess::Recipe& recipe) {
  std::vector<Mutation> faults;
  if (recipe.post.empty() || postprocess::detection::is_detection(recipe.post)) return faults;
  const auto right = postprocess::parse(recipe.post);
  if (!right) return faults;
  const auto add = [&](const std::string& what, const postprocess::Classification& wrong) {
    const std::string text = postprocess::to_text(wrong);
    if (text == postprocess::to_text(*right)) return;
    preprocess::Recipe mutated = recipe;
    mutated.post = text;
    faults.push_back({"postprocessing", what, std::move(mutated)});
  };
  postprocess::Classification wrong = *right;
  if (right->activations.empty()) {
    wrong.activations = {postprocess::Activation::kSoftmax};
    add("softmax once more", wrong);
  } else {
    wrong.activations.clear();
    add("softmax forgotten", wrong);
  }
  wrong = *right;
  wrong.order = postprocess::Order::kAscending;
  add("the smallest scores first", wrong);
  if (right->labels) {
    for (const int shift : {1, -1}) {
      wrong = *right;
      wrong.labels->shift += shift;
      add(shift > 0 ? "labels one line too far" : "labels one line too early", wrong);
    }
    wrong = *right;
    wrong.labels->order = postprocess::TableOrder::kAlphabetical;
    add("labels sorted by the alphabet", wrong);
  }
  wrong = *right;
  wrong.skip += 1;
  add("the first class left out", wrong);
  if (right->threshold) {
    wrong = *right;
    wrong.threshold = *right->threshold / 2;
    add("half the threshold", wrong);
  }
  if (right->most) {
    wrong = *right;
    wrong.most = *right->most + 1;
    add("one answer more", wrong);
  }
  return faults;
}

}  // namespace edgeprobe::contract
