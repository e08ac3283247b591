// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "diagnose/case/study.h"
#include "layers/analysis.h"

namespace edgeprobe::diagnose {

/// The reference's float model in 8 bits, emulated on its own inputs: with the target's codes, and
/// with those that a calibration with these very frames gives. No calibration fits them better.
struct FittingCodes {
  std::size_t frames = 0;
  double target = 0;   ///< Distance of the target's outputs from the reference's.
  double fitting = 0;  ///< The same of the reference in codes that fit.
  /// Of the target's outputs from the reference in the target's own codes: small when its codes are
  /// all that sets it apart.
  double unexplained = 0;
  /// Share of frames with the reference's answer, where the outputs are answers.
  std::optional<double> target_same, fitting_same;
  std::size_t taken = 0;  ///< Tensors whose codes were taken from the target.
  std::string skipped;    ///< Why nothing was emulated; else "".

  /// The target's codes make of the reference what the target answers.
  bool reproduces() const;
};

/// Nothing for a target that is not quantised, one whose outputs lie within `floor`, and where the
/// reference or the frames do not allow it.
Result<std::optional<FittingCodes>> fitting_codes(const Study& study,
                                                  const layers::Pairing& pairing, double floor,
                                                  const Control& control);

}  // namespace edgeprobe::diagnose
