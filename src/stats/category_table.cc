// SPDX-License-Identifier: Apache-2.0
#include "stats/category_table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace edgeprobe::stats {
namespace {

// Maximum number of texts with a category of their own, and the items that each needs.
constexpr std::size_t kMostCategories = 20, kLeastOfCategory = 2;

}  // namespace

CategoryTable category_table(std::span<const std::optional<std::string>> texts,
                             const std::vector<bool>& yes) {
  std::map<std::string, std::size_t> items;
  for (const auto& text : texts)
    if (text) ++items[*text];
  std::vector<std::pair<std::size_t, std::string>> order;
  for (const auto& [text, count] : items)
    if (count >= kLeastOfCategory) order.emplace_back(count, text);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  if (order.size() > kMostCategories) order.resize(kMostCategories);
  CategoryTable out;
  std::map<std::string, std::size_t> places;
  for (const auto& [count, text] : order) {
    places[text] = out.names.size();
    out.names.push_back(text);
  }
  const std::size_t rest = out.names.size();
  if (items.size() == rest + 1) {
    for (const auto& [text, count] : items)
      if (!places.contains(text)) out.names.push_back(text);
  } else if (items.size() > rest) {
    out.names.push_back("(" + std::to_string(items.size() - rest) + " rare values)");
  }
  out.counts.resize(out.names.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!texts[i]) continue;
    const auto known = places.find(*texts[i]);
    const std::size_t place = known == places.end() ? rest : known->second;
    out.of_item.push_back(place);
    out.yes.push_back(yes[i]);
    ++(yes[i] ? out.counts[place].yes : out.counts[place].no);
  }
  return out;
}

std::size_t farthest_category(std::span<const CategoryCount> counts) {
  double yes = 0, all = 0;
  for (const CategoryCount& one : counts)
    yes += static_cast<double>(one.yes), all += static_cast<double>(one.yes + one.no);
  std::size_t farthest = 0;
  double most = -1;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double size = static_cast<double>(counts[i].yes + counts[i].no);
    const double off = static_cast<double>(counts[i].yes) - size * yes / all;
    if (std::abs(off) > most + 1e-9 || (std::abs(off) > most - 1e-9 && off > 0)) {
      most = std::max(most, std::abs(off));
      farthest = i;
    }
  }
  return farthest;
}

}  // namespace edgeprobe::stats
