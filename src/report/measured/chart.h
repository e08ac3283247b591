// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// Charts as SVG files: no script, no downloads, light and dark, axes with units.
namespace edgeprobe::report {

inline constexpr std::size_t kMostLines = 24;  ///< Maximum in one chart.
/// Per line; beyond that, the extremes of each column.
inline constexpr std::size_t kMostPoints = 2000;
inline constexpr std::size_t kMostCells = 100;  ///< Per side of a matrix.

struct ChartLine {
  std::string label;
  std::vector<double> x, y;  ///< Equal lengths.
};
/// Lines over a common x axis; each axis starts at 0.
struct LineChart {
  std::string title, x_label, y_label;
  std::vector<ChartLine> lines;  ///< Lines beyond kMostLines are not drawn.
};
std::string line_chart(const LineChart& chart);

/// A confusion matrix: rows are true classes, columns answered ones. The darkness of a cell is its
/// share of its row.
struct MatrixChart {
  std::string title;
  std::size_t side = 0;
  std::vector<double> counts;      ///< Row-major, side x side.
  std::vector<std::string> names;  ///< One for each of `side`.
};
/// With more than kMostCells classes, neighbouring classes share a cell.
std::string matrix_chart(const MatrixChart& chart);
/// Number of classes that share a cell.
std::size_t classes_a_cell(std::size_t side);

/// A point of a ScatterChart; its area is proportional to `size`.
struct ScatterPoint {
  double x = 0, y = 0, size = 1;
  std::string label;
  bool is_marked = false;
};
/// Points on two axes that begin near the smallest values. Points that are not finite are left out.
struct ScatterChart {
  std::string title, x_label, y_label;
  std::vector<ScatterPoint> points;
};
std::string scatter_chart(const ScatterChart& chart);

}  // namespace edgeprobe::report
