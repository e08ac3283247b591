// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "postprocess/recipe.h"
#include "recipe/steps.h"

/// The anomaly score behind a model: read | measure each window | one score | alarm.
namespace edgeprobe::postprocess::anomaly {

/// What is measured of a window: d is the difference of the model's output and its input.
enum class Measure {
  kMse,              ///< Mean of d².
  kMae,              ///< Mean of |d|.
  kRmse,             ///< Square root of the mean of d².
  kSse,              ///< Sum of d².
  kSae,              ///< Sum of |d|.
  kL2,               ///< Square root of the sum of d².
  kLargestSquare,    ///< Largest d².
  kLargestAbsolute,  ///< Largest |d|.
  kOutput,           ///< The output itself, one number a window.
};

/// How the windows of a frame, its batch, become one score.
enum class Windows { kMean, kLargest, kMedian, kFirst, kLast, kSum };

/// What an app makes of an anomaly detector's output, as data.
struct Recipe {
  std::size_t output = 0;
  std::optional<std::size_t> input;   ///< Absent: the first with as many numbers as the output.
  Reading reading = Reading::kCodes;  ///< Of output and input.
  Measure measure = Measure::kMse;
  Windows windows = Windows::kMean;
  std::optional<double> threshold;  ///< Alarm from this score on; absent: no alarm is given.
  bool is_inverted = false;         ///< Alarm below it.
  bool operator==(const Recipe&) const = default;
};

/// The steps in the order in which they stand, as rows.
recipe::Steps steps();

/// Whether a text behind "||" is an anomaly detector's: one of its steps is score.
bool is_anomaly(std::string_view text);

/// Parses the text behind "||":
///   dequantize | score(mse, windows=mean) | threshold(12.5)
/// kUsage names the step, the column and the nearest word that is known.
Result<Recipe> parse(std::string_view text);
/// The canonical text; parse(to_text(r)) gives r again.
std::string to_text(const Recipe& recipe);

}  // namespace edgeprobe::postprocess::anomaly
