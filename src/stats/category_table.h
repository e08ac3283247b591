// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stats/association.h"

namespace edgeprobe::stats {

/// Texts as numbered categories; those that occur once are merged into one ("(3 rare values)", or
/// its own name if there is only one). This choice uses only how often a text occurs, never which
/// items are a yes, so it cannot make the p of a test too small.
struct CategoryTable {
  std::vector<std::size_t> of_item;   ///< For the items that have a text, in their order.
  std::vector<bool> yes;              ///< For the same items.
  std::vector<std::string> names;     ///< At most 21, the most frequent first.
  std::vector<CategoryCount> counts;  ///< One for each name.
};
CategoryTable category_table(std::span<const std::optional<std::string>> texts,
                             const std::vector<bool>& yes);

/// The category whose number of yes deviates most from chance; of equal ones, the one with more.
/// `counts` is not empty.
std::size_t farthest_category(std::span<const CategoryCount> counts);

}  // namespace edgeprobe::stats
