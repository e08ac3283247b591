// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "diagnose/postprocessing/masks/hypothesis.h"

namespace edgeprobe::diagnose::masks {

/// Whether the masks that two recipes make of a frame's outputs are so unlike that the app's mask
/// would say which of them it is.
bool differ(const Recipe& a, const Recipe& b, const RecordedFrame& frame, Size model);

/// A picture on which they are, in words: "an upright picture". Each kind is tried on a frame that
/// is made up of the recorded ones. Empty: none of the kinds that are known.
std::string deciding_picture(const Recipe& reference, const Recipe& a, const Recipe& b,
                             std::span<const RecordedFrame> frames, Size model);

}  // namespace edgeprobe::diagnose::masks
