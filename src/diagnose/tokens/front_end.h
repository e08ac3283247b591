// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "text/encode.h"

namespace edgeprobe::diagnose::tokens {

using Ids = std::vector<std::int64_t>;

inline constexpr std::array kRoles{text::Role::kIds, text::Role::kMask, text::Role::kTypes,
                                   text::Role::kPositions};

/// Data that an input keeps from the previous frame; all but the first are faults.
enum class Kept {
  kNothing,
  kTail,       ///< Keeps old ids where this text is padded.
  kUnchanged,  ///< Keeps everything.
  kLate,       ///< Holds the previous text's values.
};

/// An app's processing of a text and of the previous frame.
struct FrontEnd : text::FrontEnd {
  std::array<Kept, kRoles.size()> kept{};  ///< Indexed by text::Role.
  bool operator==(const FrontEnd&) const = default;
  bool keeps() const { return kept != FrontEnd().kept; }
};

/// The values of one input.
Ids& place_of(text::Encoding& encoding, text::Role role);

/// Inputs before a text: as they were, and as the previous text should have set them.
struct Before {
  text::Encoding held, meant;
};
/// Encodes tokens. An input missing in `before` keeps nothing.
text::Encoding encode(const FrontEnd& front_end, const text::Tokens& tokens, const Before& before);

}  // namespace edgeprobe::diagnose::tokens
