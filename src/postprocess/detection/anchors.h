// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace edgeprobe::postprocess::detection {

/// A prior box: centre and sides, as shares of the model's input.
struct Anchor {
  double x = 0, y = 0, width = 0, height = 0;
  bool operator==(const Anchor&) const = default;
};

/// Cells of one feature map.
struct Grid {
  int columns = 1, rows = 1;
};

/// Rule of TensorFlow's detection models (ssd_anchor_generator): scales spaced evenly over the
/// maps, aspect ratios 1, 2, 1/2, 3, 1/3 and one more square between two scales; if `is_reduced`,
/// the first map has three anchors per cell, without the additional ones.
struct SsdRule {
  std::vector<Grid> grids;
  double least_scale = 0.2, largest_scale = 0.95;
  std::vector<double> aspect_ratios{1, 2, 0.5, 3, 1.0 / 3};
  double interpolated_ratio = 1;  ///< For the additional square; 0: none.
  bool is_reduced = true;
};
/// The grids of a model with that input size; its maps halve from 1/16 of it (rounded up).
SsdRule ssd_rule(int width, int height, int maps = 6);
std::vector<Anchor> anchors(const SsdRule& rule);

/// Rule of Ultra-Light-Fast-Generic-Face-Detector: squares with the sides `sides[map]` pixels, on a
/// grid of cells `strides[map]` pixels wide (the last column and row may reach beyond the input),
/// clipped to 0..1.
struct SquaresRule {
  int width = 320, height = 240;  ///< Size of the model's input.
  std::vector<int> strides{8, 16, 32, 64};
  std::vector<std::vector<double>> sides{{10, 16, 24}, {32, 48}, {64, 96}, {128, 192, 256}};
};
std::vector<Anchor> anchors(const SquaresRule& rule);

/// Rule of MediaPipe's detectors of faces, palms and persons; here for the short-range face
/// detector: `counts[map]` anchors at the centre of each cell of `strides[map]` pixels, all with
/// side 1, since its codes are offsets in pixels.
struct PointsRule {
  int width = 128, height = 128;
  std::vector<int> strides{8, 16};
  std::vector<int> counts{2, 6};
};
std::vector<Anchor> anchors(const PointsRule& rule);

/// Rule of YOLOX: one anchor for each cell of maps of `strides` pixels, at the cell's corner, with
/// the stride as its side.
struct CellsRule {
  int width = 640, height = 640;
  std::vector<int> strides{8, 16, 32};
};
std::vector<Anchor> anchors(const CellsRule& rule);

/// The order in which an app visits the cells of all feature maps, and the reference point in a
/// cell.
enum class AnchorWalk {
  kRows,      ///< As trained: by row, with the centre of each cell.
  kColumns,   ///< By column.
  kCorner,    ///< By row, with the upper left corner of each cell.
  kReversed,  ///< In reverse order.
  kCentre,    ///< By row, half an anchor to the right and down.
};
/// Reorders anchors that are in row order. A new feature map begins where the first cell is above
/// the last one of the previous map.
std::vector<Anchor> walked(std::vector<Anchor> rows, AnchorWalk walk);

}  // namespace edgeprobe::postprocess::detection
