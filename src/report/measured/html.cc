// SPDX-License-Identifier: Apache-2.0
#include "report/page/html.h"
#include "report/measured/document.h"

namespace edgeprobe::report {
namespace {

std::string cell_html(const std::string& text, const Column& column, bool heads) {
  const std::string style = column.number ? " class=\"number\"" : "";
  return heads ? "<th scope=\"row\"" + style + ">" + escaped(text) + "</th>"
               : "<td" + style + ">" + escaped(text) + "</td>";
}

std::string table_html(const Table& table) {
  std::string out = "<table>\n<caption>" + escaped(table.caption) + "</caption>\n<thead><tr>";
  for (const Column& column : table.columns)
    out += std::string("<th scope=\"col\"") + (column.number ? " class=\"number\"" : "") + ">" +
           escaped(column.title) + "</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) out += cell_html(row[i], table.columns[i], i == 0);
    out += "</tr>\n";
  }
  return out + "</tbody></table>\n";
}

struct Html {
  std::string operator()(const Heading& heading) const {
    const std::string tag = "h" + std::to_string(heading.level) + ">";
    return "<" + tag + escaped(heading.text) + "</" + tag + "\n";
  }
  std::string operator()(const Paragraph& paragraph) const {
    return "<p>" + escaped(paragraph.text) + "</p>\n";
  }
  std::string operator()(const Table& table) const { return table_html(table); }
  std::string operator()(const Figure& figure) const {
    return "<figure class=\"drift\">\n" + figure.svg + "<figcaption>" + escaped(figure.alt) +
           "</figcaption>\n</figure>\n";
  }
};

}  // namespace

std::string render_html(const Document& document) {
  const std::string title = escaped(document.title);
  std::string out =
      page_begin(title, PageScript::kNone,
                 ".measured { display: block; width: 100%; height: auto; max-height: 60rem; }\n"
                 "main > table { display: block; overflow-x: auto; margin-bottom: 1rem; }\n") +
      "<header>\n<h1>" + title + "</h1>\n<p class=\"lead\">" + escaped(document.lead) +
      "</p>\n</header>\n<main>\n";
  for (const Block& block : document.blocks) out += std::visit(Html{}, block);
  return out + "</main>\n" + page_end(PageScript::kNone);
}

}  // namespace edgeprobe::report
