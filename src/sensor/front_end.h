// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

namespace edgeprobe::sensor {

/// The steps from readings to a model input, as values, in the order of the members
/// (docs/reference/recipes.md). Some members deviate from their default only in a fault; they are
/// here so that a recipe can describe what an app does.

struct Axis {
  int of = 0;  ///< Column of the readings.
  bool negative = false;
  bool operator==(const Axis&) const = default;
};
enum class Kernel { kLinear, kNearest, kMean, kPoly, kSinc, kSoxr };
enum class Fill { kRefuse, kZero, kEdge, kZeroLast };
/// kMeanAndSampleVariance: divides by n - 1 instead of n.
enum class Own { kNone, kMean, kMeanAndVariance, kMeanAndSampleVariance, kRange };
enum class Codes { kNearest, kHalfEven, kFloor, kTruncated, kWrap };

struct FrontEnd {
  std::vector<Axis> axes;  ///< Empty: all axes, in the recorded order.
  /// Select the axes after the normalisation, whose lists then use the recorded order.
  bool axes_last = false;
  std::vector<double> scale{1};  ///< One factor, or one for each axis.
  double rate = 0;               ///< Hz after resampling; 0: as recorded.
  double believed = 0;           ///< Assumed rate of the readings in Hz; 0: their actual rate.
  Kernel kernel = Kernel::kLinear;
  int length = 0;  ///< Steps; 0: all.
  int offset = 0;  ///< First step; with `at_end`, relative to the last window that fits.
  bool at_end = false;
  Fill fill = Fill::kRefuse;  ///< Values for the part of the window beyond the readings.
  int roll = 0;               ///< The readings are a ring buffer, read from this step on.
  int kept = 0;               ///< Number of the window's steps that are read; the rest is filled.
                              ///< 0: all.
  bool newest_first = false;
  std::vector<double> mean{0}, std{1};  ///< One, or one for each axis.
  Own own = Own::kNone;                 ///< Normalise by the window's own statistics.
  bool over_all = false;                ///< One statistic for all axes together; false: one for
                                        ///< each axis.
  bool axes_first = false;              ///< Stored axis by axis, not step by step.
  bool quantize = false;
  std::optional<double> code_scale;  ///< For `quantize`; if unset, from the model's input.
  std::optional<int> code_zero;
  Codes codes = Codes::kNearest;
  bool sign_flipped = false;

  bool operator==(const FrontEnd&) const = default;
};

}  // namespace edgeprobe::sensor
