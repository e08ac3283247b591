// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"
#include "postprocess/detection/anchors.h"
#include "postprocess/detection/coordinates.h"
#include "postprocess/detection/decoding.h"
#include "postprocess/detection/head.h"

/// Heads whose boxes are not decoded in the graph: a map of cells for each stride, in separate
/// outputs or concatenated.
namespace edgeprobe::postprocess::detection {

/// Use of the bins whose mean is an edge of a box. All except the first are faults.
enum class BinsBy {
  kMean,     ///< Weighted by their softmax.
  kLargest,  ///< The position of the largest.
  kShares,   ///< Weighted by the raw numbers, divided by their sum.
};

/// Outputs by content, counted from 0. In each list: one output with the cells of all strides, or
/// one for each stride, the finest first. Without `scores`, scores and points are in the outputs of
/// the boxes. CenterNet: `boxes` are its offsets and its sizes.
struct Maps {
  std::vector<std::int64_t> boxes, scores, object, points;
  std::vector<std::int64_t> strides;  ///< Pixels per cell.
  std::size_t bins = 1;               ///< Numbers for each edge of a box.
  BinsBy bins_by = BinsBy::kMean;
  bool operator==(const Maps&) const = default;
};

/// Processing of a model family's maps in the authors' code.
struct FamilyRule {
  Family family{};
  std::string_view word, name;  ///< Word in a recipe; name in a sentence.
  Coder coder{};
  std::vector<std::int64_t> strides;
  std::size_t bins = 1, each = 1;  ///< `each`: boxes per cell.
  /// Offset from the corner of a cell, in cells and in pixels.
  double centre = 0, centre_pixels = 0;
  bool are_scores_first = false;  ///< If one output holds both.
  /// Factor for the codes of points; offset from the corner, in cells.
  double point_factor = 1, point_centre = 0;
};
/// Null for a family without maps.
const FamilyRule* rule_of(Family family);

/// Position of each box in map order: the centre of its cell, and its stride.
std::vector<Anchor> anchors(const FamilyRule& rule, const std::vector<std::int64_t>& strides,
                            Size model);

/// Cells of a map for a model of that size.
struct Cells {
  std::size_t columns = 0, rows = 0;
  std::size_t count() const { return columns * rows; }
};
Cells cells_of(Size model, std::int64_t stride);

/// Storage of a map of cells with `each` boxes: the numbers of a cell side by side, or one plane
/// per number.
struct Storage {
  bool may_be_rows = false, may_be_planes = false;  ///< Neither: it is not a map of cells.
  bool has_grid = false;                            ///< Rows and columns are separate dimensions.
  std::size_t places = 0;                           ///< Numbers in a plane.
  std::size_t numbers = 0;                          ///< Numbers per box.
  bool fits() const { return may_be_rows || may_be_planes; }
};
Storage storage_of(const Shape& shape, Cells cells, std::size_t each);

/// The head that several outputs resemble, and the steps that read it. `names`: number of classes;
/// 0: unknown.
std::optional<Look> look_of_maps(std::span<const TensorSpec> outputs, Size model,
                                 std::size_t names);

}  // namespace edgeprobe::postprocess::detection
