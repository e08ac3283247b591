// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "recipe/read.h"
#include "search/change.h"

namespace edgeprobe::diagnose::numbers {

/// A change for every word of the recipe's argument, the most usual one the cheapest.
template <class Recipe>
void add_words(recipe::Steps steps, std::string_view argument, std::uint32_t sets,
               std::vector<search::Change<Recipe>>& out) {
  const recipe::Field& field = *recipe::find_field(steps, argument);
  double weight = 1;
  for (const recipe::Word& word : recipe::most_usual_first(field.words)) {
    const auto apply = [set = field.member.set, value = word.value](Recipe& recipe) {
      set(&recipe, std::int64_t{value});
    };
    out.push_back({sets, weight, word.meaning, apply, 0});
    weight += 0.1;
  }
}

}  // namespace edgeprobe::diagnose::numbers
