// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/control.h"
#include "core/tensor.h"
#include "diagnose/case/counterfactual.h"
#include "diagnose/case/study.h"

namespace edgeprobe::diagnose {

/// Loss of the reference's input values when stored in the codes of the target's input.
struct InputScale {
  TensorSpec stored;         ///< dtype, scale and zero point of the codes.
  double low = 0, high = 0;  ///< Range of the codes, in real values.
  double step = 0;
  double least = 0, most = 0;        ///< Range of the reference's input values in these frames.
  double cut = 0;                    ///< Fraction of these values outside the codes' range.
  std::size_t left = 0;              ///< Number of distinct codes in use.
  double lost = 0;                   ///< RMS error of the codes.
  std::optional<double> lost_steps;  ///< The RMS error in gray steps.
};

/// Judges in real values, since a comparison in codes would clip the reference's values too.
/// Nothing if the codes lose no more than another decoder would, the input is not an integer type,
/// or a trace has no input. `gray_step`: a gray step in real values; 0: unknown.
Result<std::optional<InputScale>> examine_input_scale(const Study& study, double gray_step,
                                                      const Control& control);

/// Answers of the reference's model on its own recorded inputs after rounding them to the codes of
/// `scale`. Empty if it cannot run.
Result<Answers> reference_through(const InputScale& scale, const Study& study,
                                  const std::vector<std::uint32_t>& frames, const Control& control);

}  // namespace edgeprobe::diagnose
