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

/// Heads whose boxes are not decoded in the graph: a map of cells for each stride, in outputs of
/// their own or one after the other.
namespace edgeprobe::postprocess::detection {

/// Use of the numbers that an edge of a box is the mean of. All but the first describe faults.
enum class BinsBy {
  kMean,     ///< By their softmax.
  kLargest,  ///< The place of the largest.
  kShares,   ///< By the numbers as they are, divided by their sum.
};

/// Outputs by what they hold, counted from 0. Of each list: one output with the cells of all
/// strides, or one a stride, the finest first. Without `scores` these, and points, are in the
/// outputs of the boxes. CenterNet: `boxes` are its offsets and its sizes.
struct Maps {
  std::vector<std::int64_t> boxes, scores, object, points;
  std::vector<std::int64_t> strides;  ///< Pixels of a cell.
  std::size_t bins = 1;               ///< Numbers of each edge of a box.
  BinsBy bins_by = BinsBy::kMean;
  bool operator==(const Maps&) const = default;
};

/// What the authors' code does with the maps of a family of models.
struct FamilyRule {
  Family family{};
  std::string_view word, name;  ///< In a recipe; in a sentence.
  Coder coder{};
  std::vector<std::int64_t> strides;
  std::size_t bins = 1, each = 1;        ///< Boxes that a cell has.
  double centre = 0, centre_pixels = 0;  ///< From the corner of a cell, in cells and in pixels.
  bool are_scores_first = false;         ///< Where one output holds both.
  double point_factor = 1, point_centre = 0;  ///< Of codes of points; from the corner, in cells.
};
/// Null for a family of no maps.
const FamilyRule* rule_of(Family family);

/// Where each box is, in the order in which maps hold them: the centre of its cell, its stride.
std::vector<Anchor> anchors(const FamilyRule& rule, const std::vector<std::int64_t>& strides,
                            Size model);

/// Cells of a map of a model of that size.
struct Cells {
  std::size_t columns = 0, rows = 0;
  std::size_t count() const { return columns * rows; }
};
Cells cells_of(Size model, std::int64_t stride);

/// How an output stores a map of cells with `each` boxes: with the numbers of a cell side by side,
/// or with a plane for each number.
struct Storage {
  bool may_be_rows = false, may_be_planes = false;  ///< Neither: it is no such map.
  bool has_grid = false;                            ///< Rows and columns are sides of their own.
  std::size_t places = 0;                           ///< Numbers of a plane.
  std::size_t numbers = 0;                          ///< Of a box.
  bool fits() const { return may_be_rows || may_be_planes; }
};
Storage storage_of(const Shape& shape, Cells cells, std::size_t each);

/// Which head several outputs look like, and the steps that read it. `names`: of the classes; 0:
/// not known.
std::optional<Look> look_of_maps(std::span<const TensorSpec> outputs, Size model,
                                 std::size_t names);

}  // namespace edgeprobe::postprocess::detection
