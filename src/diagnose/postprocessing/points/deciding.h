// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "diagnose/postprocessing/points/hypothesis.h"

namespace edgeprobe::diagnose::points {

/// Whether the points that two recipes make of a frame's outputs are so unlike that the app's
/// points would say which of them it is.
bool differ(const Recipe& a, const Recipe& b, const RecordedFrame& frame, Size model);

/// A picture on which they are, in words: "a picture in which a point has a score from 0.3 to 0.4".
/// Each kind but thresholds is tried on a frame that is made up of the recorded ones. Empty: none
/// of the kinds that are known.
std::string deciding_picture(const Recipe& reference, const Recipe& a, const Recipe& b,
                             std::span<const RecordedFrame> frames, Size model);

}  // namespace edgeprobe::diagnose::points
