// SPDX-License-Identifier: Apache-2.0
#include "diagnose/tensors/changes.h"

namespace edgeprobe::diagnose::tensors {
namespace {

using Find = std::optional<Change> (*)(const Pairs&);

// Sorted by how rarely they fit by chance, rarest first.
constexpr Find kOfAll[] = {other_bytes, other_precision, not_written, other_axes,
                           other_order, moved_padding,   other_line,  lines_by_part,
                           other_curve, wrapped,         other_table};
constexpr Find kOfSome[] = {other_frame, shifted, padded_rows};

template <std::size_t Count>
std::optional<Change> first(const Find (&finds)[Count], const Pairs& pairs) {
  if (pairs.differs.empty()) return std::nullopt;
  for (const Find find : finds)
    if (auto change = find(pairs)) return change;
  return std::nullopt;
}

}  // namespace

std::optional<Change> change_of_all(const Pairs& pairs) { return first(kOfAll, pairs); }
std::optional<Change> change_of_some(const Pairs& pairs) { return first(kOfSome, pairs); }

}  // namespace edgeprobe::diagnose::tensors
