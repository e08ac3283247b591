// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "diagnose/postprocessing/points/hypothesis.h"

namespace edgeprobe::diagnose::points {

/// True if two recipes make such different points of a frame's outputs that the app's points would
/// distinguish them.
bool differ(const Recipe& a, const Recipe& b, const RecordedFrame& frame, Size model);

/// A picture on which they differ, in words: "a picture in which a point has a score from 0.3 to
/// 0.4". Tries each kind except thresholds on a frame synthesised from the recorded ones. Empty: no
/// known kind.
std::string deciding_picture(const Recipe& reference, const Recipe& a, const Recipe& b,
                             std::span<const RecordedFrame> frames, Size model);

}  // namespace edgeprobe::diagnose::points
