// SPDX-License-Identifier: Apache-2.0
#include "search/words.h"

#include <algorithm>

namespace edgeprobe::search {
namespace {

// "nms(0.5, per_class)"; "" if the recipe has no such step.
std::string_view step_of_text(std::string_view recipe, std::string_view name) {
  for (std::size_t begin = 0; begin < recipe.size();) {
    const std::size_t end = std::min(recipe.find(" | ", begin), recipe.size());
    const std::string_view step = recipe.substr(begin, end - begin);
    if (step.substr(0, step.find('(')) == name) return step;
    begin = end + 3;
  }
  return "";
}

}  // namespace

std::string difference_words(const std::string& app, std::span<const std::string_view> steps,
                             std::string_view recipe) {
  for (const std::string_view name : steps)
    if (const std::string_view step = step_of_text(recipe, name); !step.empty())
      return "the app " + app + "; the reference's recipe has " + std::string(step);
  return "the app " + app + "; the reference does not";
}

}  // namespace edgeprobe::search
