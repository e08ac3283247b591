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

/// What the codes of the target's input lose of the values that the reference is fed with.
struct InputScale {
  TensorSpec stored;         ///< dtype, scale and zero point of the codes.
  double low = 0, high = 0;  ///< What they reach, in real values.
  double step = 0;
  double least = 0, most = 0;        ///< What the reference is fed with in these frames.
  double cut = 0;                    ///< Share of its values that lie beyond the codes.
  std::size_t left = 0;              ///< Codes that are used.
  double lost = 0;                   ///< RMS distance of the codes from the values.
  std::optional<double> lost_steps;  ///< The same in gray steps.
};

/// Judged in real values: a comparison in codes cuts the reference's values off as well. Nothing
/// while the codes lose no more than another decoder does, when the input is no integer, or when a
/// trace holds no input. `gray_step`: what one step of 255 is in real values; 0: unknown.
Result<std::optional<InputScale>> examine_input_scale(const Study& study, double gray_step,
                                                      const Control& control);

/// The reference's model on its own recorded inputs, stored as those codes and read back. Empty
/// when it cannot be run.
Result<Answers> reference_through(const InputScale& scale, const Study& study,
                                  const std::vector<std::uint32_t>& frames, const Control& control);

}  // namespace edgeprobe::diagnose
