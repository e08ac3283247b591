// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/label_codes.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/text.h"

namespace edgeprobe::diagnose::postprocessing {
namespace {

constexpr std::size_t kLongestName = 40, kMostRows = 6;
// Shorter texts occur in many names by chance.
constexpr std::size_t kLeastShared = 2;

// The name in lower case, with blanks and underscores merged.
std::string folded(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool blank = c == ' ' || c == '\t' || c == '_';
    if (blank && (out.empty() || out.back() == ' ')) continue;
    out += blank ? ' ' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

// Bytes beyond ASCII belong to letters.
bool is_of_a_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c & 0x80) != 0;
}

bool holds_words(std::string_view text, std::string_view words) {
  for (std::size_t at = text.find(words); at != std::string_view::npos;
       at = text.find(words, at + 1)) {
    const std::size_t end = at + words.size();
    if ((at == 0 || !is_of_a_word(text[at - 1])) &&
        (end == text.size() || !is_of_a_word(text[end])))
      return true;
  }
  return false;
}

bool has_letter(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return is_of_a_word(c) && !(c >= '0' && c <= '9'); });
}

// How a table's name matches a label, in ascending order of closeness.
enum class Nearness { kNone, kHolds, kSynonym, kFirstSynonym };

// Strips a leading WordNet number: "n01440764 tench".
std::string_view without_number(std::string_view name) {
  constexpr std::size_t kDigits = 8;
  const bool has_number = name.size() > kDigits + 2 && name[0] == 'n' && name[kDigits + 1] == ' ' &&
                          std::all_of(name.begin() + 1, name.begin() + 1 + kDigits,
                                      [](char c) { return c >= '0' && c <= '9'; });
  return has_number ? name.substr(kDigits + 2) : name;
}

Nearness nearness(std::string_view name, std::string_view label) {
  std::string_view rest = without_number(name);
  for (bool is_first = true;; is_first = false) {
    const std::size_t end = rest.find(',');
    std::string_view one = rest.substr(0, end);
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    if (one == label) return is_first ? Nearness::kFirstSynonym : Nearness::kSynonym;
    if (end == std::string_view::npos) break;
    rest = rest.substr(end + 1);
  }
  const auto holds = [](std::string_view text, std::string_view words) {
    return words.size() >= kLeastShared && has_letter(words) && holds_words(text, words);
  };
  return holds(name, label) || holds(label, name) ? Nearness::kHolds : Nearness::kNone;
}

std::string class_words(int line, const std::vector<std::string>& names) {
  std::string out = "class " + std::to_string(line);
  if (line >= 0 && static_cast<std::size_t>(line) < names.size())
    out += " (" + in_quotes(names[static_cast<std::size_t>(line)], kLongestName) + ")";
  return out;
}

// Offset of each label's line from its class; nothing if the table lacks a label or the offsets do
// not ascend.
std::optional<std::map<int, int>> lines_lost(const OwnTable& own,
                                             const std::vector<std::string>& names) {
  std::map<int, int> lost;
  int before = 0;
  for (const auto& [line, label] : own) {
    const auto at = std::find_if(
        names.begin(), names.end(),
        [wanted = folded(label)](const std::string& name) { return folded(name) == wanted; });
    const int by = static_cast<int>(at - names.begin()) - line;
    if (at == names.end() || by < before) return std::nullopt;
    lost[line] = before = by;
  }
  return lost;
}

}  // namespace

int LabelCodes::code_of(const std::string& key, const std::string& name) {
  const auto [at, fresh] = codes_.emplace(key, static_cast<int>(names_.size()));
  if (fresh) names_.push_back(name);
  return at->second;
}

int LabelCodes::of_name(const std::string& name) {
  const int code = code_of(folded(name), name);
  of_tables_.insert(code);
  return code;
}

int LabelCodes::of_label(const std::string& label) {
  const std::string key = folded(label);
  if (const auto at = codes_.find(key); at != codes_.end()) {
    if (of_tables_.contains(at->second)) add_first_synonyms(at->second, key);
    return at->second;
  }
  std::set<int> nearest;
  Nearness best = Nearness::kNone;
  for (const auto& [name, code] : codes_) {
    const Nearness how = of_tables_.contains(code) ? nearness(name, key) : Nearness::kNone;
    if (how > best) best = how, nearest.clear();
    if (how != Nearness::kNone && how == best) nearest.insert(code);
  }
  const int code = code_of(key, label);
  if (nearest.empty()) return code;
  near_.emplace(label, name(*nearest.begin()));
  names_near_.emplace(code, std::move(nearest));
  return code;
}

void LabelCodes::add_first_synonyms(int code, const std::string& key) {
  const auto [at, fresh] = first_synonyms_.try_emplace(code);
  for (const auto& [name, other] : codes_)
    if (fresh && of_tables_.contains(other) && nearness(name, key) == Nearness::kFirstSynonym)
      at->second.insert(other);
}

bool LabelCodes::matches(int name, int label) const {
  if (name == label) return true;
  if (const auto near = names_near_.find(label); near != names_near_.end())
    return near->second.contains(name);
  const auto first = first_synonyms_.find(label);
  return !near_.empty() && first != first_synonyms_.end() && first->second.contains(name);
}

std::string own_table_words(const OwnTable& own, const std::vector<std::string>& names) {
  std::string out;
  if (const auto lost = lines_lost(own, names)) {
    out = "has a label file that lacks lines of the reference's:";
    int before = -1;
    std::size_t rows = 0;
    for (const auto& [line, by] : *lost) {
      if (by == before) continue;
      if (++rows > kMostRows) return out + " and so on";
      const std::string how_far =
          by == 0 ? " labels are right"
                  : " " + counted(static_cast<std::size_t>(by), "line") + " too far";
      out += (before < 0 ? "" : ",") + how_far + " from " + class_words(line, names) + " on";
      before = by;
    }
    return out;
  }
  out = "takes its labels from another list:";
  std::size_t rows = 0, unlike = 0;
  for (const auto& [line, label] : own) {
    const bool is_right = line >= 0 && static_cast<std::size_t>(line) < names.size() &&
                          folded(names[static_cast<std::size_t>(line)]) == folded(label);
    if (is_right) continue;
    ++unlike;
    if (++rows <= kMostRows)
      out += (rows > 1 ? ", " : " ") + class_words(line, names) + " is " +
             in_quotes(label, kLongestName);
  }
  return out + (unlike > kMostRows ? ", …" : "") + "; " + std::to_string(unlike) + " of " +
         std::to_string(own.size()) + " classes that were seen";
}

}  // namespace edgeprobe::diagnose::postprocessing
