// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/control.h"
#include "precision/steps.h"

namespace edgeprobe::precision {

/// What a step of a device turned out to be, beside one scheme.
enum class Match {
  kScheme,   ///< What the scheme makes of its recorded inputs, or nearly.
  kFloat32,  ///< What float32 makes of them; only of schemes that round nothing but products.
  kEither,   ///< The scheme moves it too little to tell.
  kNeither,
};

/// Distances of one step, root mean square, relative to its values in float32 on the recorded
/// inputs.
struct StepFit {
  std::size_t step = 0;
  double seen = 0;     ///< Of the recorded values from float32.
  double shift = 0;    ///< Of the scheme from float32.
  double apart = 0;    ///< Of the recorded values from the scheme.
  double beside = 0;   ///< Of the scheme from the first one that was asked for.
  double unit = 0;     ///< Neighbours in the format.
  bool finite = true;  ///< 99 of 100 values are finite on both sides, or the same without being so.
  bool multiplies = false;  ///< It multiplies operands.
  bool adds = false;        ///< Its sums are emulated.
};

/// Recorded steps beside what a scheme makes of their recorded float32 inputs.
struct Fit {
  Scheme scheme{};
  std::vector<StepFit> steps;
  /// Values that binary16 stores as denormal numbers, and how many of them were recorded as 0.
  std::size_t denormal = 0, flushed = 0;
};

/// Of a scheme that stores its values: kScheme within three times what it moves them by, and one
/// unit in the last place, for a device may round fewer numbers or add up in another order. Of one
/// that rounds products alone: within a quarter.
Match match_of(const StepFit& step, Scheme scheme);

/// One for each scheme. `chosen`: steps to look at; empty for all.
Result<std::vector<Fit>> fits(StepRunner& runner, const std::vector<Values>& recorded,
                              const std::vector<Scheme>& schemes,
                              const std::vector<std::size_t>& chosen, const Control& control);

/// Steps that were recorded with all their inputs, and multiply float32 operands.
std::vector<std::size_t> recorded_products(const StepRunner& runner, const Values& recorded);

}  // namespace edgeprobe::precision
