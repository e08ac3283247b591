// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "diagnose/preprocessing/model/color.h"

/// Other colour spaces fed as R, G, B: each channel is a weighted sum of all three and a constant.
namespace edgeprobe::diagnose {

/// A known colour matrix (YCrCb, YUV, XYZ, video levels of another standard) that fits the target.
/// Nothing unless it is exact while `nearest`, the nearest usual mixture, is visibly off.
std::optional<Mixed> exact_matrix(const Sums& sums, const Reference& reference,
                                  const Mixed& nearest, const Fit& free);

}  // namespace edgeprobe::diagnose
