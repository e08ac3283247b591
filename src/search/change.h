// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

/// Finds the fewest changes to a reference's recipe that reproduce an app's answers, for any kind
/// of recipe.
namespace edgeprobe::search {

/// One difference from the reference's recipe.
template <class Recipe>
struct Change {
  std::uint32_t sets = 0;  ///< Parameters; no two changes of a hypothesis set the same one.
  double weight = 1;       ///< Smaller: more common.
  /// The app's behaviour: "mirrors points". Different for different changes.
  std::string words;
  std::function<void(Recipe&)> apply;
  double free_bits = 0;  ///< The cost of numbers fitted to the answers.
};

/// The reference's recipe with changes, without `left_out` if it is one of them.
template <class Recipe>
Recipe changed(const Recipe& reference, std::span<const Change<Recipe>> changes,
               const Change<Recipe>* left_out = nullptr) {
  Recipe out = reference;
  for (const Change<Recipe>& change : changes)
    if (&change != left_out) change.apply(out);
  return out;
}

}  // namespace edgeprobe::search
