// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

/// The fewest changes to a reference's recipe that give what an app answered, whatever the recipe
/// is of.
namespace edgeprobe::search {

/// One difference to the reference's recipe.
template <class Recipe>
struct Change {
  std::uint32_t sets = 0;  ///< Parameters; no two changes of a hypothesis set the same one.
  double weight = 1;       ///< Smaller: more usual.
  std::string words;       ///< The app's doing: "mirrors points". Unlike for unlike changes.
  std::function<void(Recipe&)> apply;
  double free_bits = 0;  ///< The cost of numbers that were fitted to the answers.
};

/// The reference's recipe with changes, all but one if `left_out` is one of them.
template <class Recipe>
Recipe changed(const Recipe& reference, std::span<const Change<Recipe>> changes,
               const Change<Recipe>* left_out = nullptr) {
  Recipe out = reference;
  for (const Change<Recipe>& change : changes)
    if (&change != left_out) change.apply(out);
  return out;
}

}  // namespace edgeprobe::search
