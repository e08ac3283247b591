// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "search/finding.h"

namespace edgeprobe::search {

/// The recipes among which a finding does not decide: that of its first explanation, then those
/// that fit equally well. If there is only one explanation and it may be luck, also the reference's
/// recipe. Empty: the finding is decided.
template <class Recipe>
std::vector<Recipe> open_recipes(const Finding<Recipe>& found, const Recipe& reference) {
  constexpr std::size_t kMost = 9;
  std::vector<Recipe> out;
  const auto& all = found.explanations;
  if (!found.is_explained() || all.empty() || (all.size() == 1 && all.front().is_proven))
    return out;
  for (std::size_t i = 0; i < std::min(all.size(), kMost); ++i)
    out.push_back(changed<Recipe>(reference, all[i].changes));
  if (out.size() == 1) out.push_back(reference);
  return out;
}

}  // namespace edgeprobe::search
