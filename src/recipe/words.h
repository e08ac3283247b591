// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace edgeprobe::recipe {

/// A word of a recipe's text and the value that it stands for: an enumerator, a bool or a small
/// number, all as int, so that one function serves every table.
struct Word {
  std::string_view text;  ///< Empty: apps do this, and no recipe says it.
  int value = 0;
  const char* meaning = nullptr;  ///< In sentences, in place of the word; null: the word itself.
  int rank = 0;                   ///< Among what apps do: 0 the most usual.
  const char* fault = nullptr;    ///< Its name where an app has it in place of the right word.
  bool (*is_fault)(const void* recipe) = nullptr;  ///< Only of these recipes; null: of all.

  template <class T>
  constexpr Word(std::string_view as_written, T stands_for, const char* in_sentences = nullptr,
                 int how_usual = 0)
      : text(as_written),
        value(static_cast<int>(stands_for)),
        meaning(in_sentences),
        rank(how_usual) {}

  /// The row with the name of the fault.
  constexpr Word planted(const char* as, bool (*where)(const void* recipe) = nullptr) const {
    Word word = *this;
    word.fault = as;
    word.is_fault = where;
    return word;
  }
};
using Words = std::span<const Word>;

/// The row of a value; null when the table has none.
inline const Word* find_word(Words words, int value) {
  for (const Word& word : words)
    if (word.value == value) return &word;
  return nullptr;
}

/// The rows by their rank.
std::vector<Word> most_usual_first(Words words);

/// The word of a value; "?" for one that no recipe says.
template <class T>
std::string_view word_of(Words words, T value) {
  const Word* const word = find_word(words, static_cast<int>(value));
  return word && !word->text.empty() ? word->text : "?";
}

inline constexpr std::array kKeptOrFlipped{Word{"kept", false}, Word{"flipped", true}};

}  // namespace edgeprobe::recipe
