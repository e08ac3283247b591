// SPDX-License-Identifier: Apache-2.0
#include "diagnose/tokens/front_end.h"

#include <algorithm>

namespace edgeprobe::diagnose::tokens {
namespace {

/// 1 for each position with a token, 0 for padding.
Ids real_places(text::FrontEnd front_end, const text::Tokens& tokens) {
  front_end.mask = text::Mask::kTokens;
  return text::encode(front_end, tokens).mask;
}

}  // namespace

Ids& place_of(text::Encoding& encoding, text::Role role) {
  switch (role) {
    case text::Role::kIds: return encoding.ids;
    case text::Role::kMask: return encoding.mask;
    case text::Role::kTypes: return encoding.types;
    case text::Role::kPositions: break;
  }
  return encoding.positions;
}

text::Encoding encode(const FrontEnd& front_end, const text::Tokens& tokens, const Before& before) {
  text::Encoding values = text::encode(front_end, tokens);
  const Ids real = real_places(front_end, tokens);
  for (const text::Role role : kRoles) {
    const Kept kept = front_end.kept[static_cast<std::size_t>(role)];
    Ids& own = place_of(values, role);
    const Ids& held = text::values_of(kept == Kept::kLate ? before.meant : before.held, role);
    if (kept == Kept::kNothing || own.empty() || held.empty()) continue;
    if (kept != Kept::kTail) {
      own = held;
      continue;
    }
    for (std::size_t i = 0; i < std::min(own.size(), held.size()); ++i)
      if (i >= real.size() || real[i] == 0) own[i] = held[i];
  }
  return values;
}

}  // namespace edgeprobe::diagnose::tokens
