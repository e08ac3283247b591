// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"
#include "postprocess/detection/coordinates.h"

/// Heads of which one output holds boxes, scores and classes: N boxes of some numbers each.
namespace edgeprobe::postprocess::detection {

/// Where a detector has the boxes, their scores and classes.
enum class HeadKind {
  kApart,   ///< In outputs of their own.
  kScores,  ///< One output: a box, a score for each class. YOLOv8, 9, 11, 12.
  kObject,  ///< One output: a box, its objectness, a score for each class. YOLOv5, v7, X.
  kMaps,    ///< Not decoded in the graph, in a map for each stride (maps.h).
  // Of models that have suppressed already, one output:
  kBoxScoreClass,       ///< YOLOv10, 26.
  kClassScoreBox,       ///< PaddleDetection.
  kBatchBoxClassScore,  ///< YOLOv7 with its suppression in the graph.
};
constexpr bool is_suppressed(HeadKind kind) { return kind >= HeadKind::kBoxScoreClass; }

/// Models whose maps are decoded alike.
enum class Family { kNone, kYolo8, kNanodet, kNanodetPlus, kPicodet, kScrfd, kYunet, kCenternet };

/// Use of the objectness. kIgnored and kAlone describe faults.
enum class Objectness {
  kFactor,   ///< score = objectness x score of the class.
  kRoot,     ///< The root of that product, of both cut to 0..1: YuNet.
  kIgnored,  ///< score = score of the class.
  kAlone,    ///< score = objectness.
};

struct Head {
  HeadKind kind = HeadKind::kApart;
  Family family = Family::kNone;  ///< Of kMaps.
  bool is_by_columns = false;     ///< [1, numbers, N], else [1, N, numbers].
  std::size_t tail = 0;           ///< Numbers after the scores that are read: points, an angle.
  std::size_t extra = 0;          ///< Numbers after these that are not, as those of masks.
  Objectness objectness = Objectness::kFactor;
  bool keeps_neighbours = false;  ///< Fault, of CenterNet: cells beside a better one count, too.
  /// Fault: read as if rows were columns, or the other way round, without moving the numbers.
  bool is_taken_as_stored = false;
  bool is_mistaken = false;  ///< Fault: read as this kind although the sizes say another.
  bool operator==(const Head&) const = default;
};

/// Places of the numbers of a box.
struct Row {
  std::size_t box = 0;    ///< The first of its four.
  std::size_t score = 4;  ///< The first one.
  std::size_t of_class = 5;
  std::size_t least = 6;  ///< Numbers that a box has at least.
};
Row row_of(HeadKind kind);
/// Place of the numbers after the scores, in a row of `width` numbers.
std::size_t tail_of(const Head& head, std::size_t width);

/// One output of such a head, box by box.
struct HeadRows {
  std::size_t boxes = 0, width = 0;
  std::vector<double> values;
};
/// `values`: those of the output as stored.
HeadRows head_rows(const Head& head, const Shape& shape, std::vector<double> values);

/// Which head one output looks like, and the step that reads it.
struct Look {
  std::string words;  ///< "YOLOv8's head (4 + 80 classes)"
  std::string step;   ///< "decode(yolo8)"
  HeadKind kind = HeadKind::kScores;
  bool is_certain = true;  ///< False: `step` names two that may be it.
  bool is_by_columns = false;
};
/// By the number of boxes, which is that of the cells of maps of strides 4 to 128, once or three
/// times, or by a row of six or seven numbers. `names`: of the classes; 0: not known. So many
/// numbers more are of a mask, or of points; fewer may be a fault of a file of names.
inline constexpr std::size_t kLeastExtra = 16;
std::optional<Look> look_of(const Shape& shape, Size model, std::size_t names,
                            std::size_t least_extra = kLeastExtra);

/// kUsage when the output cannot be this head's: what it looks like and the step that fits.
Status check_head(const Head& head, const TensorSpec& spec, Size model, std::size_t names);

}  // namespace edgeprobe::postprocess::detection
