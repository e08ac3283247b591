// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/text.h"
#include "report/rulings/rulings.h"

namespace edgeprobe::report {
namespace {

// GitHub accepts 65,536 characters in a comment.
constexpr std::size_t kMostBytes = 60'000;
constexpr std::size_t kLongestSentence = 1000, kLongestFact = 600, kLongestCure = 4000;

bool is_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// "@name", "#12", "!12" and similar references are found in the finished text regardless of the
// Markdown: only a zero-width character between sign and name prevents that.
bool begins_reference(const std::string& text, std::size_t at) {
  constexpr std::string_view kSigns = "@#!$~%&^";
  const char next = at + 1 < text.size() ? text[at + 1] : ' ';
  if (kSigns.find(text[at]) != std::string_view::npos)
    return is_letter_or_digit(next) || next == '"';
  return text[at] == '-' && at >= 2 && text.compare(at - 2, 2, "GH") == 0;
}

/// Text escaped so that no parser reads it as markup, in a paragraph or a table cell.
std::string plain(const std::string& text, std::size_t longest = kLongestSentence) {
  constexpr std::string_view kMarkup = "\\`*_[]<>|~&#$!";
  const std::string safe = sanitized(text, longest);
  std::string out;
  for (std::size_t i = 0; i < safe.size(); ++i) {
    const char c = safe[i];
    const bool link = (c == ':' && safe.compare(i + 1, 2, "//") == 0) ||
                      (c == '.' && i >= 3 && lower_case(safe.substr(i - 3, 3)) == "www");
    if (link || kMarkup.find(c) != std::string_view::npos) out += '\\';
    out += c;
    if (begins_reference(safe, i)) out += "\u200b";
  }
  return out;
}

/// Same at the start of a line, where it might begin a list.
std::string paragraph(const std::string& text) {
  std::string out = plain(text);
  out.erase(0, out.find_first_not_of(' '));
  const std::size_t mark = out.find_first_not_of("0123456789");
  if (mark != std::string::npos &&
      std::string_view(mark == 0 ? "-+=" : ".)").find(out[mark]) != std::string_view::npos)
    out.insert(mark, 1, '\\');
  return out;
}

/// Longer than any run of backquotes in the text.
std::string fence_for(const std::string& text) {
  std::size_t longest = 2, row = 0;
  for (const char c : text) longest = std::max(longest, row = c == '`' ? row + 1 : 0);
  return std::string(longest + 1, '`');
}

std::string block(const Code& code) {
  std::string lines;
  for (std::size_t at = 0; at < code.text.size();) {
    const std::size_t end = std::min(code.text.find('\n', at), code.text.size());
    lines += sanitized(std::string_view(code.text).substr(at, end - at), kLongestSentence) + "\n";
    at = end + 1;
  }
  const std::string fence = fence_for(lines);
  return plain(code.title) + ":\n\n" + fence + "\n" + lines + fence + "\n\n";
}

std::string table(const std::vector<Fact>& facts) {
  if (facts.empty()) return "";
  std::string out = "| figure | value |\n| --- | --- |\n";
  for (const Fact& fact : facts)
    if (!fact.title.empty())
      out += "| " + plain(fact.title) + " | " + plain(fact.text, kLongestFact) + " |\n";
  return out + "\n";
}

const char* word(Ruled ruled) {
  switch (ruled) {
    case Ruled::kFails: return "fails";
    case Ruled::kUndecided: return "cannot tell";
    case Ruled::kNote: return "note";
    case Ruled::kSkipped: return "not judged";
    case Ruled::kPasses: break;
  }
  return "passes";
}

std::string section(const Ruling& one) {
  std::string out =
      "#### " + std::string(word(one.ruled)) + ": " + plain(one.heading, 200) + "\n\n";
  if (!one.message.empty()) out += "> " + paragraph(one.message) + "\n\n";
  if (!one.cure.empty()) out += "**What to do:** " + plain(one.cure, kLongestCure) + "\n\n";
  for (const Code& code : one.code) out += block(code);
  if (!one.facts.empty()) {
    for (const Fact& fact : one.facts)
      out += "- " + plain(fact.title) + ": " + plain(fact.text, kLongestFact) + "\n";
    out += "\n";
  }
  return out;
}

std::string list(const std::string& title, const std::vector<std::string>& sentences) {
  constexpr std::size_t kMost = 8;
  if (sentences.empty()) return "";
  std::string out = "#### " + title + "\n\n";
  for (std::size_t i = 0; i < std::min(kMost, sentences.size()); ++i)
    out += "- " + paragraph(sentences[i]) + "\n";
  if (sentences.size() > kMost)
    out += "- and " + std::to_string(sentences.size() - kMost) + " more\n";
  return out + "\n";
}

std::string ids(const Rulings& rulings, Ruled ruled) {
  constexpr std::size_t kMost = 60;
  std::string out;
  std::size_t count = 0;
  for (const Ruling& one : rulings.lines)
    if (one.ruled == ruled && ++count <= kMost)
      out += (out.empty() ? "" : ", ") + plain(one.id, 200);
  if (count == 0) return "";
  if (count > kMost) out += " and " + std::to_string(count - kMost) + " more";
  return "**" + std::string(word(ruled)) + ":** " + out + "\n\n";
}

}  // namespace

std::string markdown_text(const Rulings& rulings) {
  // Tools use the first line to find and replace an older comment.
  std::string out = "<!-- edgeprobe " + rulings.verb + " -->\n### edgeprobe " + rulings.verb +
                    ": " + rulings.outcome + "\n\n**" + plain(rulings.headline) + "**\n\n" +
                    table(rulings.facts);
  std::string end = list("What would decide it", rulings.would_decide) +
                    ids(rulings, Ruled::kPasses) + ids(rulings, Ruled::kSkipped) +
                    list("Warnings", rulings.warnings);
  if (!rulings.page.empty())
    end += "The pictures and all figures: the page " + plain(rulings.page) + "\n\n";
  end += "Made by edgeprobe.\n";
  std::size_t left_out = 0;
  for (const Ruled ruled : {Ruled::kFails, Ruled::kUndecided, Ruled::kNote})
    for (const Ruling& one : rulings.lines) {
      // The headline already contains it.
      if (one.ruled != ruled || one.is_summary || one.message == rulings.headline) continue;
      const std::string text = section(one);
      if (left_out > 0 || out.size() + text.size() + end.size() > kMostBytes) ++left_out;
      else out += text;
    }
  if (left_out > 0) out += "And " + std::to_string(left_out) + " more.\n\n";
  return out + end;
}

}  // namespace edgeprobe::report
