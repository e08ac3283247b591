// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/control.h"
#include "precision/steps.h"

namespace edgeprobe::precision {

/// Classification of a device's step relative to one scheme.
enum class Match {
  kScheme,   ///< Close to the scheme's result for its recorded inputs.
  kFloat32,  ///< Close to float32's result; only for schemes that round nothing but products.
  kEither,   ///< The scheme changes it too little to decide.
  kNeither,
};

/// Distances of one step, RMS, relative to its float32 values for the recorded inputs.
struct StepFit {
  std::size_t step = 0;
  double seen = 0;    ///< Distance of the recorded values from float32.
  double shift = 0;   ///< Distance of the scheme from float32.
  double apart = 0;   ///< Distance of the recorded values from the scheme.
  double beside = 0;  ///< Distance of the scheme from the first requested scheme.
  double unit = 0;    ///< Spacing of numbers in the format.
  /// 99 of 100 values are finite on both sides, or equal without being finite.
  bool finite = true;
  bool multiplies = false;  ///< True if it multiplies operands.
  bool adds = false;        ///< True if its sums are emulated.
};

/// Recorded steps compared with a scheme's results for their recorded float32 inputs.
struct Fit {
  Scheme scheme{};
  std::vector<StepFit> steps;
  /// Values that binary16 stores as subnormal numbers, and how many of them were recorded as 0.
  std::size_t denormal = 0, flushed = 0;
};

/// For a scheme that stores its values: kScheme within three times the scheme's own shift and one
/// unit in the last place, since a device may round fewer numbers or sum in another order. For one
/// that only rounds products: within a quarter.
Match match_of(const StepFit& step, Scheme scheme);

/// One for each scheme. `chosen`: steps to examine; empty for all.
Result<std::vector<Fit>> fits(StepRunner& runner, const std::vector<Values>& recorded,
                              const std::vector<Scheme>& schemes,
                              const std::vector<std::size_t>& chosen, const Control& control);

/// Steps that were recorded with all their inputs, and multiply float32 operands.
std::vector<std::size_t> recorded_products(const StepRunner& runner, const Values& recorded);

}  // namespace edgeprobe::precision
