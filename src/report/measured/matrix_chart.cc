// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "report/measured/chart.h"
#include "report/measured/svg.h"
#include "report/text/columns.h"

namespace edgeprobe::report {
namespace {

constexpr double kTop = 64, kMargin = 16, kLetter = 7.2;
constexpr std::size_t kMostCounts = 20;  ///< Maximum side with numbers in the cells.
constexpr std::size_t kMostNames = 50;   ///< Maximum side with names; beyond, class numbers.
constexpr std::size_t kLongestName = 18;

/// Matrix cells, each combining as many classes as necessary.
struct Cells {
  std::size_t side = 0, share = 1;
  std::vector<double> counts, rows;  ///< rows: sums.
  double at(std::size_t row, std::size_t column) const { return counts[row * side + column]; }
};

Cells cells_of(const MatrixChart& chart) {
  Cells cells;
  cells.share = classes_a_cell(chart.side);
  cells.side = (chart.side + cells.share - 1) / cells.share;
  cells.counts.assign(cells.side * cells.side, 0);
  cells.rows.assign(cells.side, 0);
  for (std::size_t row = 0; row < chart.side; ++row)
    for (std::size_t column = 0; column < chart.side; ++column) {
      const double count = chart.counts[row * chart.side + column];
      cells.counts[row / cells.share * cells.side + column / cells.share] += count;
      cells.rows[row / cells.share] += count;
    }
  return cells;
}

std::string rectangle(double x, double y, double size, double share) {
  return "<rect class=\"cell\" x=\"" + svg_number(x) + "\" y=\"" + svg_number(y) + "\" width=\"" +
         svg_number(size) + "\" height=\"" + svg_number(size) + "\" fill-opacity=\"" +
         number(std::max(share, 0.02), 3) + "\"/>\n";
}

}  // namespace

std::size_t classes_a_cell(std::size_t side) {
  return std::max<std::size_t>(1, (side + kMostCells - 1) / kMostCells);
}

std::string matrix_chart(const MatrixChart& chart) {
  const Cells cells = cells_of(chart);
  const bool names = cells.share == 1 && cells.side <= kMostNames;
  const bool counts = cells.side <= kMostCounts;
  std::size_t longest = 4;
  std::vector<std::string> labels;
  for (std::size_t i = 0; names && i < cells.side; ++i) {
    labels.push_back(shortened(sanitized(chart.names[i]), kLongestName, kLongestName / 2));
    longest = std::max(longest, columns(labels.back()));
  }
  const double cell =
      std::max(names ? 14.0 : 6.0, std::min(40.0, 560.0 / static_cast<double>(cells.side)));
  const double left = 44 + kLetter * static_cast<double>(longest);
  const double size = cell * static_cast<double>(cells.side);
  const double below = 40 + (names ? kLetter * static_cast<double>(longest) : 12);
  const double width = std::max(left + size + kMargin, 420.0);
  std::string out = svg_begin(width, kTop + size + below, chart.title);
  out += svg_text("", kMargin, 46, "rows: true class; columns: answered class");
  out += "<rect class=\"frame\" x=\"" + svg_number(left) + "\" y=\"" + svg_number(kTop) +
         "\" width=\"" + svg_number(size) + "\" height=\"" + svg_number(size) + "\"/>\n";
  const std::size_t step = names ? 1 : std::max<std::size_t>(1, cells.side / 10);
  for (std::size_t i = 0; i < cells.side; i += step) {
    const double middle = cell * (static_cast<double>(i) + 0.5);
    const std::string label = names ? labels[i] : std::to_string(i * cells.share);
    out += svg_text("end name", left - 6, kTop + middle + 4, label);
    const std::string x = svg_number(left + middle + 4), y = svg_number(kTop + size + 8);
    out += "<g transform=\"translate(" + x + " " + y + ") rotate(-90)\">" +
           svg_text("end name", 0, 0, label) + "</g>\n";
  }
  for (std::size_t row = 0; row < cells.side; ++row)
    for (std::size_t column = 0; column < cells.side; ++column) {
      const double count = cells.at(row, column);
      if (!(count > 0)) continue;
      const double x = left + cell * static_cast<double>(column);
      const double y = kTop + cell * static_cast<double>(row), share = count / cells.rows[row];
      out += rectangle(x, y, cell, share);
      if (counts)
        out += svg_text(share > 0.5 ? "count on" : "count", x + cell / 2, y + cell / 2 + 4,
                        number(count, 6));
    }
  return out + "</svg>\n";
}

}  // namespace edgeprobe::report
