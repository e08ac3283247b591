// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "core/text.h"
#include "diagnose/tensors/changes.h"

namespace edgeprobe::diagnose::tensors {
namespace {

/// Minimum number of changed values, and of further positions that confirm them.
constexpr std::size_t kFewestChanged = 2, kFewestRepeats = 24;
/// Number of entries shown.
constexpr std::size_t kShown = 4;
/// With more distinct values, it does not count as a table.
constexpr std::size_t kMostValues = 65536;

}  // namespace

std::optional<Change> other_table(const Pairs& pairs) {
  if (!pairs.codes && is_float(pairs.type)) return std::nullopt;
  std::map<float, float> table;
  std::size_t repeats = 0;
  for (const std::size_t at : pairs.differs)
    for (std::size_t i = 0; i < pairs.values(); ++i) {
      const float wanted = pairs.all[at].wanted[i], fed = pairs.all[at].fed[i];
      const auto [entry, is_new] = table.emplace(wanted, fed);
      if (entry->second != fed || table.size() > kMostValues) return std::nullopt;
      repeats += !is_new && wanted != fed;
    }
  std::size_t changed = 0;
  std::string shown;
  for (const auto& [wanted, fed] : table) {
    if (wanted == fed) continue;
    if (changed++ < kShown)
      shown += (shown.empty() ? "" : ", ") + number(wanted, 9) + " -> " + number(fed, 9);
  }
  // A single position per value proves nothing.
  if (changed < kFewestChanged || repeats < kFewestRepeats || repeats < changed)
    return std::nullopt;
  return Change{CauseKind::kValueTable,
                "holds other values by a table: " + std::to_string(changed) + " of " +
                    std::to_string(table.size()) + " values are always the same other one (" +
                    shown + (changed > kShown ? ", …" : "") + ")"};
}

}  // namespace edgeprobe::diagnose::tensors
