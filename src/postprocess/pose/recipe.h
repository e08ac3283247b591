// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"
#include "postprocess/detection/coordinates.h"
#include "postprocess/recipe.h"
#include "recipe/steps.h"
#include "trace/answer.h"

/// Recipes for the key points of one pose or face: read | activate | threshold | place.
namespace edgeprobe::postprocess::pose {

using detection::Placement;
using detection::Size;

/// An app's processing of a key-point model's output, as data.
struct Recipe {
  std::size_t output = 0;
  Reading reading = Reading::kCodes;
  /// Meaning of the numbers of a point, one letter each: x, y, s (score), _ (not read). x and y
  /// once.
  std::string numbers = "yxs";
  bool are_model_pixels = false;  ///< x and y in pixels of the model's input instead of shares.
  std::vector<Activation> activations;  ///< For the scores.
  std::optional<double> threshold;      ///< Points with a lower score are not visible.
  std::optional<Labels> labels;         ///< Names of the points.
  Placement placement;

  // Faults, which have no text.
  bool is_y_first = false;         ///< y is reported before x.
  std::vector<std::size_t> order;  ///< Point i is the model's order[i]; empty: unchanged.
  bool operator==(const Recipe&) const = default;
};

/// The steps in order, as rows.
recipe::Steps steps();

/// True if a text after "||" belongs to key points: one of its steps is keypoints or points.
bool is_pose(std::string_view text);

/// Parses the text after "||":
///   dequantize | keypoints(yxs) | sigmoid | threshold(0.3) | labels(FILE) | points(pixels)
/// kUsage names the step, the column and the nearest known word. Files are not read.
Result<Recipe> parse(std::string_view text);
/// The canonical text; parse(to_text(r)) returns r, except for loaded files and faults.
std::string to_text(const Recipe& recipe);

/// Loads the names file of the recipe.
Status load_names(Recipe& recipe);

/// A point from a model, in shares of its input, x to the right and y down.
struct Point {
  double x = 0, y = 0;
  double score = 1;  ///< 1 if the model has none.
};

/// Points of the output, with activated scores; `model` is its input's size in pixels. kUsage for
/// an output without complete points.
Result<std::vector<Point>> points_of(const Recipe& recipe, std::span<const TensorView> outputs,
                                     Size model);

/// x, y (or y, x if y is first) and score of a point as the recipe reports it.
std::array<double, 3> placed_point(const Recipe& recipe, const Point& point, Size picture,
                                   Size model);

/// The answer to one frame: points, with NaN coordinates for invisible ones, and names if the
/// recipe has them. kUsage for outputs that do not fit, and for more points than names.
Result<trace::Answer> run(const Recipe& recipe, std::span<const TensorView> outputs, Size picture,
                          Size model);

}  // namespace edgeprobe::postprocess::pose
