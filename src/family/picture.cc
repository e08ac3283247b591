// SPDX-License-Identifier: Apache-2.0
#include "family/picture.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/text.h"
#include "family/count.h"

namespace edgeprobe::family {
namespace {

constexpr double kWidth = 760, kLeft = 20, kTop = 74, kGap = 16, kSpace = 10;
/// Height of a box: two lines of text, and its share of the work.
constexpr double kLeast = 44, kMost = 420;
/// Fills and borders by processor; the pairs differ in lightness as well.
constexpr std::array<std::array<const char*, 2>, 4> kColours{{{"#d7e6f8", "#2f62a3"},
                                                              {"#f8e0c8", "#a05a14"},
                                                              {"#d9efdb", "#2f7a3a"},
                                                              {"#ead9f2", "#6d3f8c"}}};

const std::array<const char*, 2>& colour(std::size_t processor) {
  return kColours[processor % kColours.size()];
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : sanitized(text, 200)) {
    if (c == '<') out += "&lt;";
    else if (c == '&') out += "&amp;";
    else if (c == '"') out += "&quot;";
    else out += c;
  }
  return out;
}

std::string text_at(double x, double y, const std::string& text, bool is_strong = false) {
  return "<text x=\"" + number(x, 6) + "\" y=\"" + number(y, 6) + "\"" +
         (is_strong ? " font-weight=\"bold\"" : "") + ">" + escaped(text) + "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2) {
  return "<line x1=\"" + number(x1, 6) + "\" y1=\"" + number(y1, 6) + "\" x2=\"" + number(x2, 6) +
         "\" y2=\"" + number(y2, 6) + "\" stroke=\"#555\"/>\n";
}

std::string title_of(const Network& network, const Section& section) {
  if (section.stage == 0) return "stem";
  if (section.stage == network.stages + 1) return "head";
  return "stage " + std::to_string(section.stage) + ", branch " +
         std::to_string(section.branch + 1);
}

std::string box(const Network& network, const Section& section, double x, double y, double width,
                double height) {
  const auto& [fill, border] = colour(section.processor);
  std::string out = "<rect x=\"" + number(x, 6) + "\" y=\"" + number(y, 6) + "\" width=\"" +
                    number(width, 6) + "\" height=\"" + number(height, 6) + "\" rx=\"4\" fill=\"" +
                    fill + "\" stroke=\"" + border + "\"/>\n";
  out += text_at(x + 8, y + 17,
                 title_of(network, section) + ": " + network.processors[section.processor], true);
  out +=
      text_at(x + 8, y + 35,
              number(section.count.macs / 1e6, 4) + " M MACs, " + std::to_string(section.channels) +
                  " x " + std::to_string(section.height) + " x " + std::to_string(section.width));
  return out;
}

}  // namespace

std::string picture(const Network& network) {
  const std::vector<Section> sections = sections_of(network);
  std::map<std::size_t, std::vector<const Section*>> rows;
  double largest = 1;
  for (const Section& section : sections) {
    rows[section.stage].push_back(&section);
    largest = std::max(largest, section.count.macs);
  }
  const Count count = count_of(network);
  std::string body;
  double y = kTop;
  const double middle = kWidth / 2;
  for (const auto& [stage, row] : rows) {
    double height = kLeast;
    for (const Section* const one : row)
      height = std::max(height, kLeast + (kMost - kLeast) / 4 * one->count.macs / largest);
    if (y > kTop) body += line(middle, y - kGap, middle, y);
    const auto columns = static_cast<double>(row.size());
    const double width = (kWidth - 2 * kLeft - (columns - 1) * kSpace) / columns;
    double x = kLeft;
    for (const Section* const one : row) {
      const double own = kLeast + (kMost - kLeast) / 4 * one->count.macs / largest;
      body += box(network, *one, x, y, width, own);
      // A shorter branch waits for the longest one.
      if (own < height) body += line(x + width / 2, y + own, x + width / 2, y + height);
      x += width + kSpace;
    }
    y += height + kGap;
  }
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(kWidth, 6) +
                    " " + number(y, 6) +
                    "\" font-family=\"sans-serif\" font-size=\"13\">\n"
                    "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
  out += text_at(kLeft, 28, network.name, true);
  out += text_at(kLeft, 50,
                 std::to_string(network.size) + " x " + std::to_string(network.size) + " pixels, " +
                     number(count.parameters / 1e6, 4) + " M parameters, " +
                     number(count.macs / 1e6, 4) + " M MACs, longest way " +
                     percent(longest_way(sections) / count.macs) + ", receptive field " +
                     std::to_string(sections.back().field));
  return out + body + "</svg>\n";
}

}  // namespace edgeprobe::family
