// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnose/precision/telltale.h"
#include "precision/fit.h"

namespace edgeprobe::diagnose {

/// The arithmetic that fits the recorded layers best.
struct Told {
  precision::Scheme scheme{};
  std::vector<precision::Scheme> undecided;  ///< Alternatives that the recording cannot rule out.
  /// Number of deciding steps, and mean distances over them as in StepFit.
  std::size_t layers = 0;
  double distance = 0, shift = 0;
  precision::Fit fit;  ///< Fit of all recorded steps.
  /// True if denormal numbers become zero; unset if there are too few.
  std::optional<bool> flushes;
  bool products = false;  ///< Only operands of products are rounded, not stored values.

  /// Recorded steps that this arithmetic does not explain.
  std::vector<std::size_t> unexplained() const;
  /// Steps that match float32 among those that round.
  std::vector<std::size_t> exact() const;
  /// "tf32", "undecided between tf32 and float16-products".
  std::string format() const;
};

/// Determines from the layers' values how the target adds up, and whether it flushes denormal
/// numbers.
Result<Told> told_of_stored(Recording& recorded, const Telltale& found, const Control& control);

/// The format to which the operands of products are rounded; nothing if none fits.
Result<std::optional<Told>> told_of_products(Recording& recorded, const Control& control);

}  // namespace edgeprobe::diagnose
