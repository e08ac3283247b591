// SPDX-License-Identifier: Apache-2.0
#include "report/measured/svg.h"

#include <cstdio>

#include "report/page/html.h"

namespace edgeprobe::report {
namespace {

/// Style of the SVG itself, since it is also a separate file; in the page's colours. CSS variables
/// would be shorter, but viewers other than browsers draw them black.
constexpr const char* kStyle = R"css(
.measured text { font: 12px system-ui, "DejaVu Sans", sans-serif; }
.measured .title { font-size: 14px; font-weight: 600; } .measured .count { font-size: 11px; text-anchor: middle; }
.measured .end { text-anchor: end; } .measured .middle { text-anchor: middle; }
.measured .line { fill: none; stroke-width: 1.5; stroke-linejoin: round; } .measured .dashed { stroke-dasharray: 5 3; }
.measured .dot { stroke-width: 1.5; } .measured .frame { fill: none; }
.measured .back, .measured .dot { fill: #ffffff; }
.measured text { fill: #555d68; } .measured .title, .measured .name, .measured .count { fill: #16191d; }
.measured .on { fill: #ffffff; } .measured .cell { fill: #0b5cad; }
.measured .grid, .measured .frame { stroke: #d9dde3; }
.measured .s0 { stroke: #0b5cad; } .measured .s1 { stroke: #c2410c; } .measured .s2 { stroke: #17693a; }
.measured .s3 { stroke: #9d2f7f; } .measured .s4 { stroke: #8a6100; } .measured .s5 { stroke: #4b5563; }
@media screen and (prefers-color-scheme: dark) {
  .measured .back, .measured .dot { fill: #1c2026; }
  .measured text { fill: #a6afba; } .measured .title, .measured .name, .measured .count { fill: #e8eaed; }
  .measured .on { fill: #14171b; } .measured .cell { fill: #8ab8f0; }
  .measured .grid, .measured .frame { stroke: #363c45; }
  .measured .s0 { stroke: #8ab8f0; } .measured .s1 { stroke: #ff9d6b; } .measured .s2 { stroke: #7fd6a0; }
  .measured .s3 { stroke: #eb9bd4; } .measured .s4 { stroke: #f0c36a; } .measured .s5 { stroke: #c3cad3; }
}
)css";

}  // namespace

std::string svg_number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

std::string svg_line(std::string_view style, double x1, double y1, double x2, double y2) {
  return "<line class=\"" + std::string(style) + "\" x1=\"" + svg_number(x1) + "\" y1=\"" +
         svg_number(y1) + "\" x2=\"" + svg_number(x2) + "\" y2=\"" + svg_number(y2) + "\"/>\n";
}

std::string svg_text(std::string_view style, double x, double y, std::string_view text) {
  return "<text class=\"" + std::string(style) + "\" x=\"" + svg_number(x) + "\" y=\"" +
         svg_number(y) + "\">" + escaped(text) + "</text>\n";
}

std::string svg_begin(double width, double height, std::string_view title) {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"measured\" role=\"img\" viewBox=\"0 "
         "0 " +
         svg_number(width) + " " + svg_number(height) + "\">\n<title>" + escaped(title) +
         "</title>\n<style>" + kStyle + "</style>\n<rect class=\"back\" width=\"" +
         svg_number(width) + "\" height=\"" + svg_number(height) + "\"/>\n" +
         svg_text("title", 16, 24, title);
}

}  // namespace edgeprobe::report
