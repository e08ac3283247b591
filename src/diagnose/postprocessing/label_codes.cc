// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/label_codes.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/text.h"

namespace edgeprobe::diagnose::postprocessing {
namespace {

constexpr std::size_t kLongestName = 40, kMostRows = 6;
// A shorter text stands in many names by chance.
constexpr std::size_t kLeastShared = 2;

// Names apart from case and blanks.
std::string folded(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool blank = c == ' ' || c == '\t';
    if (blank && (out.empty() || out.back() == ' ')) continue;
    out += blank ? ' ' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

// Bytes beyond ASCII are parts of letters.
bool is_of_a_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80) != 0;
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

std::string class_words(int line, const std::vector<std::string>& names) {
  std::string out = "class " + std::to_string(line);
  if (line >= 0 && static_cast<std::size_t>(line) < names.size())
    out += " (" + in_quotes(names[static_cast<std::size_t>(line)], kLongestName) + ")";
  return out;
}

// How far each label's own line lies after the class's; nothing where the table lacks one,
// or where they do not only become more.
std::optional<std::map<int, int>> lines_lost(const OwnTable& own,
                                             const std::vector<std::string>& names) {
  std::map<int, int> lost;
  int before = 0;
  for (const auto& [line, label] : own) {
    const auto at = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
      return folded(name) == folded(label);
    });
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

int LabelCodes::only_name_near(const std::string& key) const {
  if (key.size() < kLeastShared || !has_letter(key)) return -1;
  int found = -1;
  for (const auto& [name, code] : codes_) {
    const bool shares = holds_words(name, key) ||
                        (name.size() >= kLeastShared && has_letter(name) && holds_words(key, name));
    if (!shares || !of_tables_.contains(code)) continue;
    if (found >= 0 && found != code) return -1;
    found = code;
  }
  return found;
}

int LabelCodes::of_label(const std::string& label) {
  const std::string key = folded(label);
  if (const auto at = codes_.find(key); at != codes_.end()) return at->second;
  const int near = only_name_near(key);
  if (near < 0) return code_of(key, label);
  near_.emplace(label, name(near));
  return near;
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
