// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "diagnose/case/study.h"
#include "layers/analysis.h"

namespace edgeprobe::diagnose {

/// The reference's float model emulated in 8 bits on its own inputs: with the target's codes, and
/// with codes calibrated on these very frames. No other calibration fits these frames better.
struct FittingCodes {
  std::size_t frames = 0;
  double target = 0;   ///< Distance of the target's outputs from the reference's.
  double fitting = 0;  ///< The same distance for the reference in fitting codes.
  /// Distance of the target's outputs from the reference in the target's own codes: small if codes
  /// are their only difference.
  double unexplained = 0;
  /// Fraction of frames with the reference's answer, if the outputs are answers.
  std::optional<double> target_same, fitting_same;
  std::size_t taken = 0;  ///< Number of tensors whose codes were taken from the target.
  std::string skipped;    ///< Reason if nothing was emulated; else "".

  /// True if the reference in the target's codes reproduces the target's answers.
  bool reproduces() const;
};

/// Nothing if the target is not quantised, its outputs are within `floor`, or the reference or the
/// frames do not allow it.
Result<std::optional<FittingCodes>> fitting_codes(const Study& study,
                                                  const layers::Pairing& pairing, double floor,
                                                  const Control& control);

}  // namespace edgeprobe::diagnose
