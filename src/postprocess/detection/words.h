// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Words of boxes that points have as well.
namespace edgeprobe::postprocess::detection {

/// Names of planted faults of places.
inline constexpr const char* kAsShares = "places as shares (0..1)";
inline constexpr const char* kAsModelPixels = "places in pixels of the model's input";
inline constexpr const char* kAsStretched = "places as if the picture had been stretched";
inline constexpr const char* kAsLetterbox = "places as if there were bars right or below";
inline constexpr const char* kAsCentredLetterbox = "places as if there were bars around";
inline constexpr const char* kAsSidesExchanged = "x scaled by the height, y by the width";
inline constexpr const char* kAsMirrored = "places mirrored";

}  // namespace edgeprobe::postprocess::detection
