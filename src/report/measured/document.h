// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

/// A report as a value, with its output formats. Its texts may be untrusted; each format escapes
/// them.
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
  std::vector<Column> columns;                 ///< The first one is the row header.
  std::vector<std::vector<std::string>> rows;  ///< As many cells as `columns`.
};
struct Figure {
  std::string name;  ///< File name, in [a-z0-9_]: "inference_time".
  std::string svg;
  std::string alt;
};
using Block = std::variant<Heading, Paragraph, Table, Figure>;

struct Document {
  std::string title, lead;
  std::vector<Block> blocks;
};

/// Path from the document to a figure's file, as a URI; empty: no file was written.
using FigurePath = std::function<std::string(const Figure&)>;

/// A page without scripts and downloads; figures are embedded.
std::string render_html(const Document& document);
/// GitHub's Markdown, without HTML.
std::string render_markdown(const Document& document, const FigurePath& path);
/// reStructuredText for docutils, without Sphinx extensions.
std::string render_rst(const Document& document, const FigurePath& path);
/// For a terminal; without figures.
std::string render_text(const Document& document);

}  // namespace edgeprobe::report
