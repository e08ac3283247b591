// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "recipe/read.h"
#include "search/change.h"

/// Changes derived from the rows of a recipe's steps.
namespace edgeprobe::search {

/// For an argument's words: the weight of the most common one, and the increment for each further
/// one.
struct Weights {
  double first = 1, further = 0.1;
};

/// A change for each meaningful word of the argument, the most common first. `is_tried`: selects
/// words.
template <class Recipe, class IsTried>
void add_words(recipe::Steps steps, std::string_view argument, std::uint32_t sets,
               std::vector<Change<Recipe>>& out, Weights weights, IsTried is_tried) {
  const recipe::Field& field = *recipe::find_field(steps, argument);
  double weight = weights.first;
  for (const recipe::Word& word : recipe::most_usual_first(field.words)) {
    if (!word.meaning || !is_tried(word)) continue;
    const auto apply = [set = field.member.set, value = word.value](Recipe& recipe) {
      set(&recipe, std::int64_t{value});
    };
    out.push_back({sets, weight, word.meaning, apply, 0});
    weight += weights.further;
  }
}
template <class Recipe>
void add_words(recipe::Steps steps, std::string_view argument, std::uint32_t sets,
               std::vector<Change<Recipe>>& out, Weights weights = {}) {
  add_words(steps, argument, sets, out, weights, [](const recipe::Word&) { return true; });
}

}  // namespace edgeprobe::search
