// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/preprocessing/search/search.h"

/// Framings that resemble a usual one at coarse resolution and differ only in whole pixels.
namespace edgeprobe::diagnose {

/// Resizes the shorter side, then crops the middle in whole pixels: Resize and CenterCrop of
/// torchvision and timm. Only those that differ from `usual` on a picture of this size.
std::vector<Framing> short_side_framings(const Reference& reference,
                                         const std::vector<Framing>& usual, int height, int width);

/// `base` with the picture or the input shifted by one pixel, or cropped by up to four pixels
/// first. Shifts repeat the border.
std::vector<Framing> pixel_neighbours(const Framing& base, int height, int width);
/// Variants of a framing with a shift that fill in another border.
std::vector<Framing> with_other_edges(const Framing& framing);

/// The two framings with the smallest residual, in the orientation of the best trial, with its
/// kernel or an antialiased one; only those that beat the best trial.
std::vector<Placement> nearest_placements(Frame& frame, const Reference& reference,
                                          const Interpretation& interpretation,
                                          const std::vector<Framing>& framings, const Trial& best,
                                          const ToneStep& tone_step);

}  // namespace edgeprobe::diagnose
