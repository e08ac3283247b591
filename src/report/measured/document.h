// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

/// A report as a value, and its forms. Texts in it may come from outside; each form escapes them.
namespace edgeprobe::report {

struct Heading {
  int level = 2;
  std::string text;
};
struct Paragraph {
  std::string text;
};
struct Column {
  std::string title;
  bool number = false;
};
struct Table {
  std::string caption;
  std::vector<Column> columns;                 ///< The first one heads its row.
  std::vector<std::vector<std::string>> rows;  ///< As long as `columns`.
};
struct Figure {
  std::string name;  ///< Of its file, in [a-z0-9_]: "inference_time".
  std::string svg;
  std::string alt;
};
using Block = std::variant<Heading, Paragraph, Table, Figure>;

struct Document {
  std::string title, lead;
  std::vector<Block> blocks;
};

/// The way from the document to the file of a figure, as a URI; empty: no file was written.
using FigurePath = std::function<std::string(const Figure&)>;

/// One page that runs no script and fetches nothing; figures are in it.
std::string render_html(const Document& document);
/// GitHub's Markdown, without HTML.
std::string render_markdown(const Document& document, const FigurePath& path);
/// reStructuredText of docutils, without extensions of Sphinx.
std::string render_rst(const Document& document, const FigurePath& path);
/// For a terminal; without figures.
std::string render_text(const Document& document);

}  // namespace edgeprobe::report
