// SPDX-License-Identifier: Apache-2.0
#include "diagnose/tokens/changes.h"

#include "diagnose/tokens/change_list.h"

namespace edgeprobe::diagnose::tokens {

bool are_exclusive(Part a, Part b) {
  const auto is_special = [](Part part) { return part == Part::kFirst || part == Part::kLast; };
  if (a == Part::kSpecial && is_special(b)) return true;
  if (b == Part::kSpecial && is_special(a)) return true;
  return a == b && a != Part::kText;
}

std::vector<Change> changes_of_ids(const Problem& problem, const FrontEnd& front_end,
                                   const std::vector<text::Encoding>& said) {
  ChangeList out;
  add_text_changes(out, problem, front_end);
  add_row_changes(out, problem, front_end, said);
  add_kept_changes(out, problem, front_end);
  add_templates(out, problem, front_end, said);
  return out.take();
}

std::vector<Change> changes_of(text::Role role, const Problem& problem, const FrontEnd& front_end) {
  ChangeList out;
  // Kept inputs are not computed.
  if (front_end.kept[static_cast<std::size_t>(role)] != Kept::kNothing) return {};
  if (role == text::Role::kMask && front_end.mask) add_mask_changes(out, front_end);
  if (role == text::Role::kTypes && front_end.types) add_type_changes(out, problem, front_end);
  if (role == text::Role::kPositions && front_end.positions)
    add_position_changes(out, problem, front_end);
  add_kept_changes_of(role, out, problem, front_end);
  return out.take();
}

}  // namespace edgeprobe::diagnose::tokens
