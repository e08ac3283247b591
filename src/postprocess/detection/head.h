// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"
#include "postprocess/detection/coordinates.h"

/// Heads with boxes, scores and classes in one output: N boxes of several numbers each.
namespace edgeprobe::postprocess::detection {

/// Location of a detector's boxes, scores and classes.
enum class HeadKind {
  kApart,   ///< In separate outputs.
  kScores,  ///< One output: a box, a score for each class. YOLOv8, 9, 11, 12.
  kObject,  ///< One output: a box, its objectness, a score for each class. YOLOv5, v7, X.
  kMaps,    ///< Not decoded in the graph: a map for each stride (maps.h).
  // Models that include suppression, one output:
  kBoxScoreClass,       ///< YOLOv10, 26.
  kClassScoreBox,       ///< PaddleDetection.
  kBatchBoxClassScore,  ///< YOLOv7 with suppression in the graph.
};
constexpr bool is_suppressed(HeadKind kind) { return kind >= HeadKind::kBoxScoreClass; }

/// Models whose maps are decoded in the same way.
enum class Family { kNone, kYolo8, kNanodet, kNanodetPlus, kPicodet, kScrfd, kYunet, kCenternet };

/// Use of the objectness. kIgnored and kAlone are faults.
enum class Objectness {
  kFactor,   ///< score = objectness x score of the class.
  kRoot,     ///< The square root of that product, with both clipped to 0..1: YuNet.
  kIgnored,  ///< score = score of the class.
  kAlone,    ///< score = objectness.
};

struct Head {
  HeadKind kind = HeadKind::kApart;
  Family family = Family::kNone;  ///< For kMaps.
  bool is_by_columns = false;     ///< [1, numbers, N]; false: [1, N, numbers].
  std::size_t tail = 0;           ///< Numbers read after the scores: points, an angle.
  /// Numbers after these that are not read, such as those of masks.
  std::size_t extra = 0;
  Objectness objectness = Objectness::kFactor;
  bool keeps_neighbours = false;  ///< Fault for CenterNet: cells next to a better one count, too.
  /// Fault: read with rows and columns confused, without moving the numbers.
  bool is_taken_as_stored = false;
  bool is_mistaken = false;  ///< Fault: read as this kind although the sizes indicate another.
  bool operator==(const Head&) const = default;
};

/// Positions of the numbers of a box.
struct Row {
  std::size_t box = 0;    ///< First of the box's four numbers.
  std::size_t score = 4;  ///< First score.
  std::size_t of_class = 5;
  std::size_t least = 6;  ///< Minimum numbers per box.
};
Row row_of(HeadKind kind);
/// Position of the numbers after the scores, in a row of `width` numbers.
std::size_t tail_of(const Head& head, std::size_t width);

/// One output of a head, box by box.
struct HeadRows {
  std::size_t boxes = 0, width = 0;
  std::vector<double> values;
};
/// `values`: the output as stored.
HeadRows head_rows(const Head& head, const Shape& shape, std::vector<double> values);

/// The head that one output resembles, and the step that reads it.
struct Look {
  std::string words;  ///< "YOLOv8's head (4 + 80 classes)"
  std::string step;   ///< "decode(yolo8)"
  HeadKind kind = HeadKind::kScores;
  bool is_certain = true;  ///< False: `step` names two candidates.
  bool is_by_columns = false;
};
/// Recognises a head by the number of boxes, which equals the number of cells in maps of strides 4
/// to 128, once or three times, or by a row of six or seven numbers. `names`: number of classes; 0:
/// unknown. This many additional numbers belong to a mask or to points; fewer may be an error in
/// the names file.
inline constexpr std::size_t kLeastExtra = 16;
std::optional<Look> look_of(const Shape& shape, Size model, std::size_t names,
                            std::size_t least_extra = kLeastExtra);

/// kUsage if the output cannot have this head: names the head that it resembles and the matching
/// step.
Status check_head(const Head& head, const TensorSpec& spec, Size model, std::size_t names);

}  // namespace edgeprobe::postprocess::detection
