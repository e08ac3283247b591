// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "text/encode.h"

namespace edgeprobe::diagnose::tokens {

using Ids = std::vector<std::int64_t>;

inline constexpr std::array kRoles{text::Role::kIds, text::Role::kMask, text::Role::kTypes,
                                   text::Role::kPositions};

/// What an input still holds of the frame before; all but the first are faults.
enum class Kept {
  kNothing,
  kTail,       ///< What stood where this text is padded.
  kUnchanged,  ///< All that stood there.
  kLate,       ///< What belongs to the text before.
};

/// What an app makes of a text, and of the frame before.
struct FrontEnd : text::FrontEnd {
  std::array<Kept, kRoles.size()> kept{};  ///< By text::Role.
  bool operator==(const FrontEnd&) const = default;
  bool keeps() const { return kept != FrontEnd().kept; }
};

/// The values of one input.
Ids& place_of(text::Encoding& encoding, text::Role role);

/// What the inputs held before a text, and what the text before it makes of them.
struct Before {
  text::Encoding held, meant;
};
/// What is made of tokens. An input that `before` lacks keeps nothing.
text::Encoding encode(const FrontEnd& front_end, const text::Tokens& tokens, const Before& before);

}  // namespace edgeprobe::diagnose::tokens
