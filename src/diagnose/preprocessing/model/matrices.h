// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "diagnose/preprocessing/model/color.h"

/// Colours of another kind fed as R, G, B: every channel a sum of all three and a constant.
namespace edgeprobe::diagnose {

/// The colour matrix in use (YCrCb, YUV, XYZ, video levels of another standard) that the target
/// shows. Nothing unless it is exact where `nearest`, the nearest usual mixture, is visibly off.
std::optional<Mixed> exact_matrix(const Sums& sums, const Reference& reference,
                                  const Mixed& nearest, const Fit& free);

}  // namespace edgeprobe::diagnose
