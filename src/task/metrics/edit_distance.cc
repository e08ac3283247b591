// SPDX-License-Identifier: Apache-2.0
#include "task/metrics/edit_distance.h"

#include <tuple>
#include <vector>

namespace edgeprobe::task {
namespace {

using Units = std::vector<std::string_view>;

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

Units words_of(std::string_view text) {
  Units words;
  for (std::size_t at = 0; at < text.size();) {
    if (is_space(text[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && !is_space(text[at])) ++at;
    words.push_back(text.substr(begin, at - begin));
  }
  return words;
}

Units characters_of(std::string_view text) {
  Units characters;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
    characters.push_back(text.substr(at, end - at));
    at = end;
  }
  return characters;
}

std::optional<Edits> edits(const Units& truth, const Units& text) {
  if (!truth.empty() && text.size() > kMostComparisons / truth.size()) return std::nullopt;
  // Processes the table of Wagner and Fischer (1974) row by row; among equally few changes, prefers
  // fewer insertions, then fewer deletions.
  std::vector<Edits> row(text.size() + 1);
  for (std::size_t j = 0; j <= text.size(); ++j) row[j].inserted = j;
  const auto rank = [](const Edits& e) { return std::tuple(e.all(), e.inserted, e.deleted); };
  for (const std::string_view unit : truth) {
    Edits diagonal = row[0];
    ++row[0].deleted;
    for (std::size_t j = 1; j <= text.size(); ++j) {
      Edits best = diagonal, insertion = row[j - 1], deletion = row[j];
      best.substituted += unit != text[j - 1];
      ++insertion.inserted;
      ++deletion.deleted;
      if (rank(insertion) < rank(best)) best = insertion;
      if (rank(deletion) < rank(best)) best = deletion;
      diagonal = row[j];
      row[j] = best;
    }
  }
  Edits result = row.back();
  result.length = truth.size();
  return result;
}

}  // namespace

std::optional<Edits> word_edits(std::string_view truth, std::string_view text) {
  return edits(words_of(truth), words_of(text));
}

std::optional<Edits> character_edits(std::string_view truth, std::string_view text) {
  return edits(characters_of(truth), characters_of(text));
}

}  // namespace edgeprobe::task
