// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace edgeprobe::recipe {

/// A word of a recipe's text and its value: an enumerator, a bool or a small number, all as int, so
/// that one function serves every table.
struct Word {
  std::string_view text;  ///< Empty: apps do this, but no recipe contains it.
  int value = 0;
  const char* meaning = nullptr;  ///< Used in sentences instead of the word; null: the word.
  int rank = 0;                   ///< Rank among the apps' choices: 0 is the most common.
  const char* fault = nullptr;    ///< Fault name if an app uses it instead of the correct word.
  bool (*is_fault)(const void* recipe) = nullptr;  ///< Only for these recipes; null: for all.

  template <class T>
  constexpr Word(std::string_view as_written, T stands_for, const char* in_sentences = nullptr,
                 int how_usual = 0)
      : text(as_written),
        value(static_cast<int>(stands_for)),
        meaning(in_sentences),
        rank(how_usual) {}

  /// Returns the row with the name of the fault.
  constexpr Word planted(const char* as, bool (*where)(const void* recipe) = nullptr) const {
    Word word = *this;
    word.fault = as;
    word.is_fault = where;
    return word;
  }
};
using Words = std::span<const Word>;

/// The row of a value; null if the table has none.
inline const Word* find_word(Words words, int value) {
  for (const Word& word : words)
    if (word.value == value) return &word;
  return nullptr;
}

/// The rows sorted by rank.
std::vector<Word> most_usual_first(Words words);

/// The word of a value; "?" for one that no recipe contains.
template <class T>
std::string_view word_of(Words words, T value) {
  const Word* const word = find_word(words, static_cast<int>(value));
  return word && !word->text.empty() ? word->text : "?";
}

inline constexpr std::array kKeptOrFlipped{Word{"kept", false}, Word{"flipped", true}};

}  // namespace edgeprobe::recipe
