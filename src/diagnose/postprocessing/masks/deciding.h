// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "diagnose/postprocessing/masks/hypothesis.h"

namespace edgeprobe::diagnose::masks {

/// True if two recipes make such different masks of a frame's outputs that the app's mask would
/// distinguish them.
bool differ(const Recipe& a, const Recipe& b, const RecordedFrame& frame, Size model);

/// A picture on which they differ, in words: "an upright picture". Tries each kind on a frame
/// synthesised from the recorded ones. Empty: no known kind.
std::string deciding_picture(const Recipe& reference, const Recipe& a, const Recipe& b,
                             std::span<const RecordedFrame> frames, Size model);

}  // namespace edgeprobe::diagnose::masks
