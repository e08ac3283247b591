// SPDX-License-Identifier: Apache-2.0
#include "diagnose/tokens/change_list.h"

namespace edgeprobe::diagnose::tokens {
namespace {

using text::Role;

constexpr std::size_t place(Role role) { return static_cast<std::size_t>(role); }

bool has_input(const FrontEnd& f, Role role) {
  switch (role) {
    case Role::kIds: return true;
    case Role::kMask: return f.mask.has_value();
    case Role::kTypes: return f.types.has_value();
    case Role::kPositions: break;
  }
  return f.positions.has_value();
}

/// A way in which an input keeps data: description, and rarity.
struct Way {
  Kept kept;
  const char* before;  ///< "the app <before> ids <behind>".
  const char* behind;
  double weight;
};
constexpr Way kWays[] = {
    {Kept::kTail, "does not clear its buffer: after the end of a shorter text it keeps the",
     "of the text before", 1.2},
    {Kept::kLate, "feeds the", "of the text before, one frame late", 1.3},
    {Kept::kUnchanged, "feeds the", "of the frame before once more, unchanged", 1.35},
};

CauseKind kind_of(Kept kept, Role role) {
  if (kept != Kept::kTail) return CauseKind::kOtherFrame;
  switch (role) {
    case Role::kIds: return CauseKind::kTokenPadding;
    case Role::kMask: return CauseKind::kAttentionMask;
    case Role::kTypes: return CauseKind::kTokenTypes;
    case Role::kPositions: break;
  }
  return CauseKind::kPositionIds;
}

std::string words_of(const Way& way, const char* what) {
  return std::string("the app ") + way.before + " " + what + " " + way.behind;
}

}  // namespace

void add_kept_changes(ChangeList& out, const Problem& problem, const FrontEnd& f) {
  if (!problem.has_before()) return;
  const bool has_others = f.mask || f.types || f.positions;
  for (const Way& way : kWays) {
    out.add(kind_of(way.kept, Role::kIds), Part::kKept, words_of(way, "ids"), way.weight,
            [kept = way.kept](FrontEnd& to) { to.kept[place(Role::kIds)] = kept; })
        .is_of_order = true;
    if (!has_others) continue;
    out.add(kind_of(way.kept, Role::kIds), Part::kKept, words_of(way, "values of all inputs"),
            way.weight + 0.02,
            [kept = way.kept](FrontEnd& to) {
              for (const Role role : kRoles)
                if (has_input(to, role)) to.kept[place(role)] = kept;
            })
        .is_of_order = true;
  }
}

void add_kept_changes_of(Role role, ChangeList& out, const Problem& problem, const FrontEnd& f) {
  if (!problem.has_before() || !has_input(f, role)) return;
  const char* const what = role == Role::kMask    ? "mask"
                           : role == Role::kTypes ? "token types"
                                                  : "positions";
  const Part part = role == Role::kMask    ? Part::kMask
                    : role == Role::kTypes ? Part::kTypes
                                           : Part::kKeptPositions;
  for (const Way& way : kWays)
    if (f.kept[place(role)] != way.kept)
      out.add(kind_of(way.kept, role), part, words_of(way, what), way.weight,
              [kept = way.kept, role](FrontEnd& to) { to.kept[place(role)] = kept; })
          .is_of_order = true;
}

}  // namespace edgeprobe::diagnose::tokens
