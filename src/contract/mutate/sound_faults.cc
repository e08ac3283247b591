// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "contract/mutate/catalogue.h"
#include "diagnose/sound/changes.h"

namespace edgeprobe::contract {

std::vector<Mutation> sound_faults(const preprocess::Recipe& recipe, const audio::FrontEnd& right,
                                   const audio::Clip& clip) {
  namespace sound = diagnose::sound;
  std::vector<Mutation> faults;
  std::vector<audio::FrontEnd> changed = sound::structural_changes(right, clip);
  const std::vector<audio::FrontEnd> affine = sound::affine_changes(right);
  changed.insert(changed.end(), affine.begin(), affine.end());
  std::set<std::string> seen;
  for (const audio::FrontEnd& one : changed) {
    const auto kinds = sound::kinds_between(right, one);
    // Only the first of each kind: a table of hundreds would be unreadable.
    if (kinds.size() != 1 || !seen.insert(*kinds.begin()).second) continue;
    preprocess::Recipe mutated = preprocess::recipe_of(one);
    mutated.post = recipe.post;
    std::string kind = "sound";
    for (const sound::Member& member : sound::members())
      if (*kinds.begin() == member.kind) kind = diagnose::name(member.cause);
    faults.push_back({kind, sound::described(one, right, *kinds.begin()), std::move(mutated), {}});
  }
  return faults;
}

}  // namespace edgeprobe::contract
