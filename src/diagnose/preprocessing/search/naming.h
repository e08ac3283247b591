// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/preprocessing/search/hypothesis.h"

namespace edgeprobe::diagnose {

struct Named {
  Range range;
  bool named = false;               ///< False: `range` contains the measured lines.
  double residual = 0;              ///< Residual with this range, in gray steps.
  std::vector<std::string> others;  ///< Other names that reproduce the target equally well.
};

/// The range in `known` that the measured lines represent. Another decoder shifts all pixels by up
/// to a step and a half, so the reference's own range and usual names win unless another one
/// reproduces the target exactly. `h` holds all other parts; `pixels` are the result of its
/// geometry.
Named name_range(const Measured& measured, const std::vector<Range>& known, const Frame& frame,
                 const Reference& reference, const Hypothesis& h, const preprocess::Raster& pixels);

/// The nearest mixed-up mean and deviation; nothing if none is near.
std::optional<Named> name_mixed_range(const Measured& measured, const Frame& frame,
                                      const Reference& reference, const Hypothesis& h,
                                      const preprocess::Raster& pixels);

}  // namespace edgeprobe::diagnose
