// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "diagnose/preprocessing/search/search.h"

namespace edgeprobe::diagnose {

/// A framing by a window in pixels, which belongs to one picture.
bool is_crop_window(const Framing& framing);

/// The window that one picture shows, in pixels of the picture as it is laid.
struct SeenCropWindow {
  int height = 0, width = 0;
  preprocess::Crop box;
};

/// One crop for pictures of several sizes: a share of the sides or of the shorter one, moved by a
/// share of itself. The roundest numbers that give every one of these windows (to a pixel) are
/// taken; nothing when there are none.
std::optional<preprocess::Crop> common_crop(const std::vector<SeenCropWindow>& windows);

}  // namespace edgeprobe::diagnose
