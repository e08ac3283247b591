// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "report/measured/chart.h"
#include "report/measured/svg.h"

namespace edgeprobe::report {
namespace {

constexpr double kPictureWidth = 760, kLeftEdge = 84, kRightEdge = 24, kTopEdge = 52, kHeight = 320,
                 kBottomEdge = 54;
constexpr double kSmallest = 4, kLargest = 14;  ///< Radius of a point.

/// An axis over the values with a margin, and about five steps of 1, 2 or 5 times a power of ten.
struct Scale {
  double least = 0, most = 1, step = 0.2;
};
Scale scale_of(const std::vector<ScatterPoint>& points, double ScatterPoint::*value) {
  double least = points.front().*value, most = least;
  for (const ScatterPoint& point : points) {
    least = std::min(least, point.*value);
    most = std::max(most, point.*value);
  }
  double span = most - least;
  // Steps must be large enough to change a value that they are added to.
  const double largest = std::max(std::abs(least), std::abs(most));
  if (!(span > 1e-9 * largest)) span = 0.1 * largest;
  if (!(span > 1e-290)) span = 1;
  Scale scale{least - 0.12 * span, most + 0.12 * span, 1};
  const double rough = (scale.most - scale.least) / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  scale.step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0})
    if (rough <= factor * power) scale.step = factor * power;
  return scale;
}

}  // namespace

std::string scatter_chart(const ScatterChart& chart) {
  std::vector<ScatterPoint> points = chart.points;
  std::erase_if(points, [](const ScatterPoint& point) {
    return !std::isfinite(point.x) || !std::isfinite(point.y) || !std::isfinite(point.size);
  });
  std::string out = svg_begin(kPictureWidth, kTopEdge + kHeight + kBottomEdge, chart.title);
  if (points.empty()) return out + "</svg>\n";
  const Scale across = scale_of(points, &ScatterPoint::x), up = scale_of(points, &ScatterPoint::y);
  const double width = kPictureWidth - kLeftEdge - kRightEdge;
  const auto x = [&](double value) {
    return kLeftEdge + width * (value - across.least) / (across.most - across.least);
  };
  const auto y = [&](double value) {
    return kTopEdge + kHeight * (1 - (value - up.least) / (up.most - up.least));
  };
  for (double i = std::ceil(up.least / up.step); i * up.step <= up.most; ++i)
    out += svg_line("grid", kLeftEdge, y(i * up.step), kPictureWidth - kRightEdge, y(i * up.step)) +
           svg_text("end y", kLeftEdge - 8, y(i * up.step) + 4, number(i * up.step, 6));
  for (double i = std::ceil(across.least / across.step); i * across.step <= across.most; ++i)
    out += svg_line("grid", x(i * across.step), kTopEdge + kHeight, x(i * across.step),
                    kTopEdge + kHeight + 5) +
           svg_text("middle x", x(i * across.step), kTopEdge + kHeight + 20,
                    number(i * across.step, 6));
  out += svg_text("middle", kLeftEdge + width / 2, kTopEdge + kHeight + 42, chart.x_label) +
         svg_text("", kLeftEdge, kTopEdge - 12, chart.y_label);
  double largest = 0;
  for (const ScatterPoint& point : points) largest = std::max(largest, point.size);
  for (const ScatterPoint& point : points) {
    const double radius =
        largest > 0 ? std::max(kSmallest, kLargest * std::sqrt(std::max(0.0, point.size) / largest))
                    : kSmallest;
    out += "<circle class=\"" + std::string(point.is_marked ? "dot s1" : "dot s5") + "\" cx=\"" +
           svg_number(x(point.x)) + "\" cy=\"" + svg_number(y(point.y)) + "\" r=\"" +
           svg_number(radius) + "\"/>\n" +
           svg_text("middle name", x(point.x), y(point.y) - radius - 4, point.label);
  }
  return out + "</svg>\n";
}

}  // namespace edgeprobe::report
