// SPDX-License-Identifier: Apache-2.0
#include "report/measured/svg.h"

#include <cstdio>

#include "report/page/parts.h"

namespace edgeprobe::report {
namespace {

/// Of the SVG alone, for it is a file of its own as well; the page's colours.
constexpr const char* kStyle = R"css(
.measured { --card: #ffffff; --ink: #16191d; --soft: #555d68; --rule: #d9dde3; --cell: #0b5cad; --on: #ffffff;
  --s0: #0b5cad; --s1: #c2410c; --s2: #17693a; --s3: #9d2f7f; --s4: #8a6100; --s5: #4b5563; }
@media (prefers-color-scheme: dark) {
  .measured { --card: #1c2026; --ink: #e8eaed; --soft: #a6afba; --rule: #363c45; --cell: #8ab8f0; --on: #14171b;
    --s0: #8ab8f0; --s1: #ff9d6b; --s2: #7fd6a0; --s3: #eb9bd4; --s4: #f0c36a; --s5: #c3cad3; } }
.measured .back { fill: var(--card); }
.measured text { font: 12px system-ui, "DejaVu Sans", sans-serif; fill: var(--soft); }
.measured .title { font-size: 14px; font-weight: 600; fill: var(--ink); } .measured .name { fill: var(--ink); }
.measured .end { text-anchor: end; } .measured .middle { text-anchor: middle; }
.measured .grid { stroke: var(--rule); stroke-width: 1; }
.measured .line { fill: none; stroke-width: 1.5; stroke-linejoin: round; } .measured .dashed { stroke-dasharray: 5 3; }
.measured .s0 { stroke: var(--s0); } .measured .s1 { stroke: var(--s1); } .measured .s2 { stroke: var(--s2); }
.measured .s3 { stroke: var(--s3); } .measured .s4 { stroke: var(--s4); } .measured .s5 { stroke: var(--s5); }
.measured .dot { fill: var(--card); stroke-width: 1.5; }
.measured .cell { fill: var(--cell); } .measured .count { font-size: 11px; text-anchor: middle; fill: var(--ink); }
.measured .on { fill: var(--on); } .measured .frame { fill: none; stroke: var(--rule); }
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
