// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

namespace edgeprobe::sensor {

/// What is done to readings until they are a model input, as values, in the order of the members
/// (docs/reference/recipes.md). Members that only a fault has another value of stand here too, so
/// that a recipe can say what an app does.

struct Axis {
  int of = 0;  ///< Column of the readings.
  bool negative = false;
  bool operator==(const Axis&) const = default;
};
enum class Kernel { kLinear, kNearest, kMean, kPoly, kSinc, kSoxr };
enum class Fill { kRefuse, kZero, kEdge, kZeroLast };
/// kMeanAndSampleVariance: divided by n - 1, not n.
enum class Own { kNone, kMean, kMeanAndVariance, kMeanAndSampleVariance, kRange };
enum class Codes { kNearest, kHalfEven, kFloor, kTruncated, kWrap };

struct FrontEnd {
  std::vector<Axis> axes;  ///< Empty: all, as recorded.
  /// The axes are taken behind the normalisation, whose lists are then of the recorded order.
  bool axes_last = false;
  std::vector<double> scale{1};  ///< One factor, or one an axis.
  double rate = 0;               ///< Hz after resampling; 0: as recorded.
  double believed = 0;           ///< Hz that the readings are taken to have; 0: those they have.
  Kernel kernel = Kernel::kLinear;
  int length = 0;  ///< Steps; 0: all.
  int offset = 0;  ///< First step; with `at_end` counted from the last window that fits.
  bool at_end = false;
  Fill fill = Fill::kRefuse;  ///< Where the window reaches beyond the readings.
  int roll = 0;               ///< A ring buffer that is read from this step on.
  int kept = 0;               ///< Steps of the window that are read, the rest filled; 0: all.
  bool newest_first = false;
  std::vector<double> mean{0}, std{1};  ///< One, or one an axis.
  Own own = Own::kNone;                 ///< Normalised by the window's own figures.
  bool over_all = false;                ///< Those of all axes together, not of each.
  bool axes_first = false;              ///< Stored axis by axis, not step by step.
  bool quantize = false;
  std::optional<double> code_scale;  ///< With `quantize`: else those of the model's input.
  std::optional<int> code_zero;
  Codes codes = Codes::kNearest;
  bool sign_flipped = false;

  bool operator==(const FrontEnd&) const = default;
};

}  // namespace edgeprobe::sensor
