// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnose/precision/telltale.h"
#include "precision/fit.h"

namespace edgeprobe::diagnose {

/// The arithmetic that the recorded layers fit best.
struct Told {
  precision::Scheme scheme{};
  std::vector<precision::Scheme> undecided;  ///< The recording does not tell them from it.
  /// Steps that tell, and, over these, distances as in StepFit.
  std::size_t layers = 0;
  double distance = 0, shift = 0;
  precision::Fit fit;           ///< Of all recorded steps.
  std::optional<bool> flushes;  ///< What becomes of denormal numbers; nothing: too few.
  bool products = false;        ///< Nothing that is stored is rounded.

  /// Recorded steps that it does not explain.
  std::vector<std::size_t> unexplained() const;
  /// Steps of float32 among those that round.
  std::vector<std::size_t> exact() const;
  /// "tf32", "undecided between tf32 and float16-products".
  std::string format() const;
};

/// By the values that layers hold: how the target adds up, and what becomes of denormal numbers.
Result<Told> told_of_stored(Recording& recorded, const Telltale& found, const Control& control);

/// What the operands of products are rounded to; nothing when they fit none of the formats.
Result<std::optional<Told>> told_of_products(Recording& recorded, const Control& control);

}  // namespace edgeprobe::diagnose
