// SPDX-License-Identifier: Apache-2.0
#include "core/text.h"
#include "report/measured/document.h"
#include "report/text/columns.h"

namespace edgeprobe::report {
namespace {

constexpr std::size_t kLongestText = 1000;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// True if a line with this beginning could be a list, a directive or another element.
bool could_be_element(const std::string& text) {
  if (text.empty()) return false;
  if (!is_word(text[0])) return true;
  std::size_t end = 0;
  while (end < text.size() && is_word(text[end])) ++end;
  // "1. ", "iv)"
  return end < text.size() && (text[end] == '.' || text[end] == ')') &&
         (end + 1 == text.size() || text[end + 1] == ' ');
}

/// Text that docutils always reads as plain text.
std::string plain(const std::string& text) {
  const std::string safe = sanitized(text, kLongestText);
  std::string out;
  // An escaped blank disappears, and the following text no longer begins a line.
  if (could_be_element(safe)) out += "\\ ";
  for (std::size_t i = 0; i < safe.size(); ++i) {
    const char c = safe[i];
    const bool link =
        c == '@' || (c == ':' && (safe.compare(i + 1, 1, "/") == 0 ||
                                  safe.compare(i + 1, 1, ":") == 0 || i + 1 == safe.size()));
    if (link || std::string_view("\\`*_|[").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string ruled(const std::string& text, char rule) {
  return text + "\n" + std::string(2 * columns(text) + 8, rule) + "\n\n";
}

struct Rst {
  const FigurePath& path;

  std::string operator()(const Heading& heading) const {
    return ruled(plain(heading.text), heading.level == 2 ? '-' : '~');
  }
  std::string operator()(const Paragraph& paragraph) const {
    return plain(paragraph.text) + "\n\n";
  }
  std::string operator()(const Table& table) const {
    std::string out = ".. list-table:: " + plain(table.caption) + "\n   :header-rows: 1\n\n";
    std::vector<std::string> titles;
    for (const Column& column : table.columns) titles.push_back(column.title);
    out += row_of(titles);
    for (const auto& row : table.rows) out += row_of(row);
    return out + "\n";
  }
  std::string operator()(const Figure& figure) const {
    const std::string file = path ? path(figure) : "";
    if (file.empty()) return "";
    return ".. image:: " + file + "\n   :alt: " + plain(figure.alt) + "\n\n";
  }

 private:
  static std::string row_of(const std::vector<std::string>& cells) {
    std::string out;
    for (const std::string& cell : cells)
      out += (out.empty() ? "   * - " : "     - ") + plain(cell) + "\n";
    return out;
  }
};

}  // namespace

std::string render_rst(const Document& document, const FigurePath& path) {
  std::string out = ruled(plain(document.title), '=') + plain(document.lead) + "\n\n";
  for (const Block& block : document.blocks) out += std::visit(Rst{path}, block);
  return out + "Made by edgeprobe.\n";
}

}  // namespace edgeprobe::report
