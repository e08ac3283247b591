// SPDX-License-Identifier: Apache-2.0
#include "core/text.h"
#include "report/measured/document.h"

namespace edgeprobe::report {
namespace {

constexpr std::size_t kLongestText = 1000;

/// Text escaped so that no Markdown parser reads it as markup, in a paragraph or a table cell.
std::string plain(const std::string& text) {
  const std::string safe = sanitized(text, kLongestText);
  std::string out;
  for (std::size_t i = 0; i < safe.size(); ++i) {
    const char c = safe[i];
    const bool link = (c == ':' && safe.compare(i + 1, 2, "//") == 0) ||
                      (c == '.' && i >= 3 && safe.compare(i - 3, 3, "www") == 0) || c == '@';
    if (link || std::string_view("\\`*_[]<>|~&#$!").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string row_of(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) out += " " + cell + " |";
  return out + "\n";
}

struct Markdown {
  const FigurePath& path;

  std::string operator()(const Heading& heading) const {
    return std::string(static_cast<std::size_t>(heading.level), '#') + " " + plain(heading.text) +
           "\n\n";
  }
  std::string operator()(const Paragraph& paragraph) const {
    return plain(paragraph.text) + "\n\n";
  }
  std::string operator()(const Table& table) const {
    std::vector<std::string> titles, rules;
    for (const Column& column : table.columns) {
      titles.push_back(plain(column.title));
      rules.push_back(column.number ? "---:" : "---");
    }
    std::string out = plain(table.caption) + "\n\n" + row_of(titles) + row_of(rules);
    for (const auto& row : table.rows) {
      std::vector<std::string> cells;
      for (const std::string& cell : row) cells.push_back(plain(cell));
      out += row_of(cells);
    }
    return out + "\n";
  }
  std::string operator()(const Figure& figure) const {
    const std::string file = path ? path(figure) : "";
    if (file.empty()) return "";
    return "![" + plain(figure.alt) + "](" + file + ")\n\n";
  }
};

}  // namespace

std::string render_markdown(const Document& document, const FigurePath& path) {
  std::string out = "# " + plain(document.title) + "\n\n" + plain(document.lead) + "\n\n";
  for (const Block& block : document.blocks) out += std::visit(Markdown{path}, block);
  return out + "Made by edgeprobe.\n";
}

}  // namespace edgeprobe::report
