// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "postprocess/detection/anchors.h"
#include "postprocess/detection/coordinates.h"
#include "postprocess/detection/decoding.h"
#include "postprocess/detection/head.h"
#include "postprocess/detection/keypoints.h"
#include "postprocess/detection/maps.h"
#include "postprocess/detection/suppression.h"
#include "postprocess/recipe.h"
#include "recipe/steps.h"

/// Recipes for boxes after a detector: read | decode | activate | threshold | suppress | place |
/// report.
namespace edgeprobe::postprocess::detection {

/// Indices of the outputs that a detector's answer uses, counted from 0.
struct Outputs {
  std::size_t boxes = 0, scores = 1;
  /// For a model that includes suppression: a class for each box, and the number of valid boxes.
  std::optional<std::size_t> classes, count;
  std::optional<std::size_t> points;  ///< If they are separate.
  bool operator==(const Outputs&) const = default;
};

/// Anchors from the rule or file that the recipe names.
struct Anchors {
  /// "ssd", "ultraface", "short_range", "back_camera", "full_range", "yolox", a family of maps, or
  /// a .npy file; "": none.
  std::string source;
  AnchorWalk walk = AnchorWalk::kRows;
  std::shared_ptr<const std::vector<Anchor>> list;  ///< In row order; empty until loaded.
  bool operator==(const Anchors&) const = default;
};

/// An app's processing of a detector's outputs, as data.
struct Recipe {
  Outputs outputs;
  Head head;  ///< For one output that holds everything, outputs.boxes, or for maps.
  Maps maps;  ///< Replaces `outputs` for HeadKind::kMaps.
  Keypoints keypoints;
  bool is_turned = false;  ///< Rotated by an angle in radians, the first number after the scores.
  Reading reading = Reading::kCodes;
  /// Fault: boxes read with the scale of the scores and vice versa.
  bool scales_exchanged = false;
  Decoding decoding;
  Anchors anchors;
  std::vector<Activation> activations;
  std::size_t skip = 0;     ///< Number of skipped classes: the background, or "no object".
  bool skips_last = false;  ///< Skip the last ones; false: the leading ones.
  bool best_class = false;  ///< Only the best class of each box.
  double threshold = 0;     ///< Minimum score.
  /// `most` is the recipe's topk; pixels are those of the model's input. A model that includes
  /// suppression keeps its order: Rivals::kNone, not sorted.
  Suppression suppression;
  std::optional<Labels> labels;
  Placement placement;
  Report report = Report::kXyxy;
  bool percent = false;
  /// Fault, without a text: the app's labels by line, instead of the table's.
  std::shared_ptr<const std::map<int, std::string>> own_labels;
  double angle_by = 1;  ///< Fault, without a text: factor for angles.

  bool is_apart() const { return head.kind == HeadKind::kApart; }
  bool has_maps() const { return head.kind == HeadKind::kMaps; }
  bool is_suppressed() const {
    return is_apart() ? outputs.classes.has_value() : detection::is_suppressed(head.kind);
  }
  bool operator==(const Recipe&) const = default;
};

/// The steps in order, as rows.
recipe::Steps steps();

/// True if a text after "||" belongs to a detector: one of its steps is decode, detections, nms or
/// boxes.
bool is_detection(std::string_view text);

/// Parses the text after "||":
///   dequantize | decode(ssd, anchors.npy, 0.1, 0.2, order=cycxhw) | sigmoid | skip(1) |
///   threshold(0.5) | nms(0.45, per_class) | topk(10) | labels(FILE) | boxes(xyxy, pixels)
/// kUsage names the step, the column and the nearest known word. Files are not read.
Result<Recipe> parse(std::string_view text);
/// The canonical text; parse(to_text(r)) returns r, except for loaded files.
std::string to_text(const Recipe& recipe);

/// Reads the label file that the recipe names.
Status load_labels(Recipe& recipe);

/// Loads the anchors for a model input of that size; `count` is the number of boxes in its output.
/// kUsage if the rule yields another number.
Status load_anchors(Recipe& recipe, int width, int height, std::size_t count);

}  // namespace edgeprobe::postprocess::detection
