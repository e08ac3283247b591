// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/tensor.h"

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

}  // namespace edgeprobe::diagnose
