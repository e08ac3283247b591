// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace edgeprobe::task {

/// Fewest changes that turn a truth into what was recognised.
struct Edits {
  std::size_t substituted = 0, inserted = 0, deleted = 0;
  std::size_t length = 0;  ///< Of the truth.
  std::size_t all() const { return substituted + inserted + deleted; }
};

/// Products of two lengths that are compared: two texts of 20,000 words.
inline constexpr std::size_t kMostComparisons = 400'000'000;

/// Of words, which white space separates. Nothing above kMostComparisons.
std::optional<Edits> word_edits(std::string_view truth, std::string_view text);
/// Of characters (code points), spaces included. Nothing above kMostComparisons.
std::optional<Edits> character_edits(std::string_view truth, std::string_view text);

}  // namespace edgeprobe::task
