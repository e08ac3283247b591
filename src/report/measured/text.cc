// SPDX-License-Identifier: Apache-2.0
#include "core/text.h"

#include <algorithm>

#include "report/measured/document.h"
#include "report/text/columns.h"

namespace edgeprobe::report {
namespace {

constexpr std::size_t kLineWidth = 100, kCellWidth = 48;

std::string cell_text(const std::string& text, bool last) {
  const std::string safe = sanitized(text, 400);
  return last ? safe : shortened(safe, kCellWidth, kCellWidth / 2);
}

struct Text {
  std::string operator()(const Heading& heading) const {
    return "\n" + sanitized(heading.text) + "\n";
  }
  std::string operator()(const Paragraph& paragraph) const {
    return wrapped("", sanitized(paragraph.text, 1000), kLineWidth);
  }
  std::string operator()(const Table& table) const {
    std::vector<std::vector<std::string>> rows(1);
    for (const Column& column : table.columns) rows[0].push_back(column.title);
    rows.insert(rows.end(), table.rows.begin(), table.rows.end());
    std::vector<std::size_t> widths(table.columns.size(), 0);
    for (auto& row : rows)
      for (std::size_t i = 0; i < row.size(); ++i) {
        row[i] = cell_text(row[i], i + 1 == row.size());
        widths[i] = std::max(widths[i], columns(row[i]));
      }
    std::string out = wrapped("", table.caption, kLineWidth);
    for (const auto& row : rows) {
      std::string line;
      for (std::size_t i = 0; i < row.size(); ++i)
        line += "  " + (table.columns[i].number ? right(row[i], widths[i])
                        : i + 1 == row.size()   ? row[i]
                                                : padded(row[i], widths[i]));
      out += line + "\n";
    }
    return out;
  }
  std::string operator()(const Figure&) const { return ""; }
};

}  // namespace

std::string render_text(const Document& document) {
  std::string out = sanitized(document.title) + "\n" + wrapped("", document.lead, kLineWidth);
  for (const Block& block : document.blocks) out += std::visit(Text{}, block);
  return out;
}

}  // namespace edgeprobe::report
