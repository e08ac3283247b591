// SPDX-License-Identifier: Apache-2.0
#include "report/measured/chart.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "report/measured/svg.h"
#include "report/text/columns.h"

namespace edgeprobe::report {
namespace {

constexpr double kWidth = 760, kLeft = 76, kRight = 20, kTop = 40, kPlotHeight = 220, kBottom = 54;
constexpr double kPlotWidth = kWidth - kLeft - kRight;
constexpr double kLegendRow = 20;
constexpr std::size_t kLegendColumns = 3, kLegendWidth = 30;
constexpr std::size_t kMostDots = 60;

/// Steps of 1, 2 or 5 times a power of ten, about five up to `most`.
double step_of(double most) {
  if (!(most > 1e-300)) return 1;
  const double rough = most / 5, power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (rough <= factor * power) return factor * power;
  return 10 * power;
}

struct Axis {
  double most = 1, step = 1;  ///< The axis starts at 0.
};
Axis axis_of(double most) {
  Axis axis;
  axis.step = step_of(most);
  axis.most = most > 1e-300 ? axis.step * std::ceil(most / axis.step - 1e-9) : 1;
  return axis;
}

struct Point {
  double x, y;
};

/// Limits points to what a screen resolves: for each column the first, lowest, highest and last.
std::vector<Point> points_of(const ChartLine& line) {
  std::vector<Point> points;
  const std::size_t count = line.x.size();
  const double begin_x = *std::min_element(line.x.begin(), line.x.end());
  for (std::size_t i = 0; i < count; ++i) points.push_back({line.x[i] - begin_x, line.y[i]});
  if (count <= kMostPoints) return points;
  std::vector<Point> kept;
  const std::size_t columns = kMostPoints / 4;
  for (std::size_t column = 0; column < columns; ++column) {
    const auto begin = points.begin() + static_cast<std::ptrdiff_t>(column * count / columns);
    const auto end = points.begin() + static_cast<std::ptrdiff_t>((column + 1) * count / columns);
    const auto [low, high] =
        std::minmax_element(begin, end, [](const Point& a, const Point& b) { return a.y < b.y; });
    kept.push_back(*begin);
    kept.push_back(*std::min(low, high));
    kept.push_back(*std::max(low, high));
    kept.push_back(*(end - 1));
  }
  return kept;
}

class Plot {
 public:
  Plot(const LineChart& chart, double top) : top_(top) {
    double most_x = 0, most_y = 0;
    for (const ChartLine& line : chart.lines) {
      const auto [first, last] = std::minmax_element(line.x.begin(), line.x.end());
      most_x = std::max(most_x, *last - *first);
      for (const double y : line.y) most_y = std::max(most_y, y);
    }
    x_ = axis_of(most_x);
    x_.most = most_x > 1e-300 ? most_x : 1;
    y_ = axis_of(most_y);
  }

  std::string axes(const LineChart& chart) const {
    std::string out;
    for (int i = 0; i * y_.step <= y_.most * (1 + 1e-9); ++i) {
      const double value = i * y_.step;
      out += svg_line("grid", kLeft, y(value), kWidth - kRight, y(value)) +
             svg_text("end y", kLeft - 8, y(value) + 4, number(value, 6));
    }
    for (int i = 0; i * x_.step <= x_.most * (1 + 1e-9); ++i) {
      const double value = i * x_.step;
      out += svg_line("grid", x(value), top_ + kPlotHeight, x(value), top_ + kPlotHeight + 5) +
             svg_text("middle x", x(value), top_ + kPlotHeight + 20, number(value, 6));
    }
    return out +
           svg_text("middle", kLeft + kPlotWidth / 2, top_ + kPlotHeight + 42, chart.x_label) +
           svg_text("end", kLeft - 8, top_ - 12, chart.y_label);
  }

  std::string line(const ChartLine& line, std::size_t index) const {
    const std::vector<Point> points = points_of(line);
    const std::string color = " s" + std::to_string(index % 6);
    std::string text, dots;
    for (const Point& point : points) {
      text += (text.empty() ? "" : " ") + svg_number(x(point.x)) + "," + svg_number(y(point.y));
      if (points.size() <= kMostDots)
        dots += "<circle class=\"dot" + color + "\" cx=\"" + svg_number(x(point.x)) + "\" cy=\"" +
                svg_number(y(point.y)) + "\" r=\"2.5\"/>\n";
    }
    return "<polyline class=\"line" + color + (index >= 6 ? " dashed" : "") + "\" points=\"" +
           text + "\"/>\n" + dots;
  }

 private:
  double x(double value) const { return kLeft + kPlotWidth * value / x_.most; }
  double y(double value) const { return top_ + kPlotHeight * (1 - value / y_.most); }
  Axis x_, y_;
  double top_;
};

std::string legend(const std::vector<ChartLine>& lines) {
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t row = i / kLegendColumns, column = i % kLegendColumns;
    const double x = kLeft + static_cast<double>(column) * kPlotWidth / kLegendColumns;
    const double y = kTop + 6 + static_cast<double>(row) * kLegendRow;
    out += "<line class=\"line s" + std::to_string(i % 6) + (i >= 6 ? " dashed" : "") + "\" x1=\"" +
           svg_number(x) + "\" y1=\"" + svg_number(y - 4) + "\" x2=\"" + svg_number(x + 22) +
           "\" y2=\"" + svg_number(y - 4) + "\"/>\n" +
           svg_text("name", x + 28, y,
                    shortened(sanitized(lines[i].label), kLegendWidth, kLegendWidth / 2));
  }
  return out;
}

}  // namespace

std::string line_chart(const LineChart& whole) {
  LineChart chart = whole;
  if (chart.lines.size() > kMostLines) chart.lines.resize(kMostLines);
  std::erase_if(chart.lines, [](const ChartLine& line) { return line.x.empty(); });
  const bool many = chart.lines.size() > 1;
  const std::size_t rows =
      many ? (chart.lines.size() + kLegendColumns - 1) / kLegendColumns : std::size_t{0};
  const double top = kTop + static_cast<double>(rows) * kLegendRow + 18;
  const Plot plot(chart, top);
  std::string out = svg_begin(kWidth, top + kPlotHeight + kBottom, chart.title);
  if (many) out += legend(chart.lines);
  out += plot.axes(chart);
  for (std::size_t i = 0; i < chart.lines.size(); ++i) out += plot.line(chart.lines[i], i);
  return out + "</svg>\n";
}

}  // namespace edgeprobe::report
