// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stats/association.h"

namespace edgeprobe::stats {

/// Texts as numbered categories, those that occur once as one ("(3 rare values)", or its own
/// name where it is alone). That choice sees
/// only how often a text occurs, never which items are a yes, so that it makes no test too small
/// a p.
struct CategoryTable {
  std::vector<std::size_t> of_item;   ///< Of the items that have a text, in their order.
  std::vector<bool> yes;              ///< Of the same items.
  std::vector<std::string> names;     ///< At most 21, the most frequent first.
  std::vector<CategoryCount> counts;  ///< One each.
};
CategoryTable category_table(std::span<const std::optional<std::string>> texts,
                             const std::vector<bool>& yes);

/// The category whose number of yes is farthest from what chance would give; of two as far off the
/// one with more. `counts` is not empty.
std::size_t farthest_category(std::span<const CategoryCount> counts);

}  // namespace edgeprobe::stats
