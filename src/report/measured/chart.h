// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// Charts as SVG files: no script, nothing fetched, light and dark, axes with their units.
namespace edgeprobe::report {

inline constexpr std::size_t kMostLines = 24;     ///< In one chart.
inline constexpr std::size_t kMostPoints = 2000;  ///< Of a line; of more, each column's ends.
inline constexpr std::size_t kMostCells = 100;    ///< Of a side of a matrix.

struct ChartLine {
  std::string label;
  std::vector<double> x, y;  ///< As long as each other.
};
/// Lines over a common x axis, which begins at 0 for each.
struct LineChart {
  std::string title, x_label, y_label;
  std::vector<ChartLine> lines;  ///< Those beyond kMostLines are not drawn.
};
std::string line_chart(const LineChart& chart);

/// A confusion matrix: rows are what is there, columns what was answered. A cell is as dark as its
/// part of its row.
struct MatrixChart {
  std::string title;
  std::size_t side = 0;
  std::vector<double> counts;      ///< Row-major, side x side.
  std::vector<std::string> names;  ///< As many as `side`.
};
/// Of more than kMostCells classes, those that follow each other share a cell.
std::string matrix_chart(const MatrixChart& chart);
/// How many classes share a cell.
std::size_t classes_a_cell(std::size_t side);

}  // namespace edgeprobe::report
