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

/// Key points of one pose or face: read | activate | threshold | place.
namespace edgeprobe::postprocess::pose {

using detection::Placement;
using detection::Size;

/// What an app makes of a key-point model's output, as data.
struct Recipe {
  std::size_t output = 0;
  Reading reading = Reading::kCodes;
  /// What the numbers of one point are, a letter each: x, y, s (score), _ (not read). x and y once.
  std::string numbers = "yxs";
  bool are_model_pixels = false;  ///< x and y in pixels of the model's input, not shares of it.
  std::vector<Activation> activations;  ///< Of the scores.
  std::optional<double> threshold;      ///< Points with a lower score are not shown.
  std::optional<Labels> labels;         ///< Names of the points.
  Placement placement;

  // Faults, which have no text.
  bool is_y_first = false;  ///< y is handed on before x.
  std::vector<std::size_t>
      order;  ///< Point i is the model's order[i]; empty: as the model has them.
  bool operator==(const Recipe&) const = default;
};

/// The steps in the order in which they stand, as rows.
recipe::Steps steps();

/// Whether a text behind "||" is one of key points: one of its steps is keypoints or points.
bool is_pose(std::string_view text);

/// Parses the text behind "||":
///   dequantize | keypoints(yxs) | sigmoid | threshold(0.3) | labels(FILE) | points(pixels)
/// kUsage names the step, the column and the nearest word that is known. Files are not read.
Result<Recipe> parse(std::string_view text);
/// The canonical text; parse(to_text(r)) gives r again, but for what is loaded and for faults.
std::string to_text(const Recipe& recipe);

/// Reads the file of names that the recipe names.
Status load_names(Recipe& recipe);

/// A point of a model, in shares of its input, x to the right and y down.
struct Point {
  double x = 0, y = 0;
  double score = 1;  ///< 1 where the model has none.
};

/// Points as the output has them, scores activated; `model` is the size of its input in pixels.
/// kUsage for an output that does not hold whole points.
Result<std::vector<Point>> points_of(const Recipe& recipe, std::span<const TensorView> outputs,
                                     Size model);

/// x, y (y, x where y is first) and score of a point as the recipe hands it on.
std::array<double, 3> placed_point(const Recipe& recipe, const Point& point, Size picture,
                                   Size model);

/// The answer to one frame: points, NaN but for the score where one is not shown, with names where
/// the recipe has them. kUsage for outputs that do not fit, and for more points than names.
Result<trace::Answer> run(const Recipe& recipe, std::span<const TensorView> outputs, Size picture,
                          Size model);

}  // namespace edgeprobe::postprocess::pose
