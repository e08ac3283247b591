// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace edgeprobe::task {

/// Fewest changes that turn a truth into the recognised text.
struct Edits {
  std::size_t substituted = 0, inserted = 0, deleted = 0;
  std::size_t length = 0;  ///< Length of the truth.
  std::size_t all() const { return substituted + inserted + deleted; }
};

/// Limit on the product of two compared lengths: two texts of 20,000 words.
inline constexpr std::size_t kMostComparisons = 400'000'000;

/// Edits in words, separated by white space. Empty above kMostComparisons.
std::optional<Edits> word_edits(std::string_view truth, std::string_view text);
/// Edits in characters (code points), including spaces. Empty above kMostComparisons.
std::optional<Edits> character_edits(std::string_view truth, std::string_view text);

}  // namespace edgeprobe::task
