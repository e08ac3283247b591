// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/preprocessing/search/search.h"

/// Framings that look like a usual one from afar, and are told apart on whole pixels only.
namespace edgeprobe::diagnose {

/// The shorter side resized, then the middle in whole pixels: torchvision's and timm's Resize and
/// CenterCrop. Those that lie otherwise than `usual` on a picture of this size.
std::vector<Framing> short_side_framings(const Reference& reference,
                                         const std::vector<Framing>& usual, int height, int width);

/// `base` with the picture or the input moved by one pixel, or up to four pixels cut off before it.
/// Shifts repeat the border.
std::vector<Framing> pixel_neighbours(const Framing& base, int height, int width);
/// The same framing with another border coming in, for a framing with a shift.
std::vector<Framing> with_other_edges(const Framing& framing);

/// The two framings that leave least of the target, laid as the best trial is and by its kernel or
/// an antialiased one; none that leaves more than the best trial does.
std::vector<Placement> nearest_placements(Frame& frame, const Reference& reference,
                                          const Interpretation& interpretation,
                                          const std::vector<Framing>& framings, const Trial& best,
                                          const ToneStep& tone_step);

}  // namespace edgeprobe::diagnose
