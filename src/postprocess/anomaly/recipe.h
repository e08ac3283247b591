// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "postprocess/recipe.h"
#include "recipe/steps.h"

/// Recipes for the anomaly score after a model: read | measure each window | one score | alarm.
namespace edgeprobe::postprocess::anomaly {

/// The measure of a window: d is the difference between the model's output and its input.
enum class Measure {
  kMse,              ///< Mean of d².
  kMae,              ///< Mean of |d|.
  kRmse,             ///< Square root of the mean of d².
  kSse,              ///< Sum of d².
  kSae,              ///< Sum of |d|.
  kL2,               ///< Square root of the sum of d².
  kLargestSquare,    ///< Largest d².
  kLargestAbsolute,  ///< Largest |d|.
  kOutput,           ///< The output itself, one number for each window.
};

/// Combines the windows of a frame (its batch) into one score.
enum class Windows { kMean, kLargest, kMedian, kFirst, kLast, kSum };

/// An app's processing of an anomaly detector's output, as data.
struct Recipe {
  std::size_t output = 0;
  /// Unset: the first input with as many numbers as the output.
  std::optional<std::size_t> input;
  Reading reading = Reading::kCodes;  ///< For output and input.
  Measure measure = Measure::kMse;
  Windows windows = Windows::kMean;
  std::optional<double> threshold;  ///< Alarm from this score on; unset: no alarm.
  bool is_inverted = false;         ///< Alarm below the threshold.
  bool operator==(const Recipe&) const = default;
};

/// The steps in order, as rows.
recipe::Steps steps();

/// True if a text after "||" belongs to an anomaly detector: one of its steps is score.
bool is_anomaly(std::string_view text);

/// Parses the text after "||":
///   dequantize | score(mse, windows=mean) | threshold(12.5)
/// kUsage names the step, the column and the nearest known word.
Result<Recipe> parse(std::string_view text);
/// The canonical text; parse(to_text(r)) returns r.
std::string to_text(const Recipe& recipe);

}  // namespace edgeprobe::postprocess::anomaly
