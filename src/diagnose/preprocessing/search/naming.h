// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/preprocessing/search/hypothesis.h"

namespace edgeprobe::diagnose {

struct Named {
  Range range;
  bool named = false;               ///< False: `range` holds the measured numbers.
  double residual = 0;              ///< Residual with it, in gray steps.
  std::vector<std::string> others;  ///< Names that reproduce the target as well.
};

/// The range of `known` that the measured lines stand for. Another decoder moves all pixels by up
/// to a step and a half, so the reference's own range and usual names win unless another one
/// reproduces the target to the bit. `h` says everything else; `pixels` are what its geometry
/// makes.
Named name_range(const Measured& measured, const std::vector<Range>& known, const Frame& frame,
                 const Reference& reference, const Hypothesis& h, const preprocess::Raster& pixels);

/// The mixed-up mean and deviation that are nearest; nothing when none is near.
std::optional<Named> name_mixed_range(const Measured& measured, const Frame& frame,
                                      const Reference& reference, const Hypothesis& h,
                                      const preprocess::Raster& pixels);

}  // namespace edgeprobe::diagnose
