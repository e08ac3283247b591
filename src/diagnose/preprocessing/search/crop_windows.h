// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "diagnose/preprocessing/search/search.h"

namespace edgeprobe::diagnose {

/// True for a framing by a window in pixels, which only fits one picture.
bool is_crop_window(const Framing& framing);

/// The window found in one picture, in pixels of the oriented picture.
struct SeenCropWindow {
  int height = 0, width = 0;
  preprocess::Crop box;
};

/// One crop for pictures of several sizes: a fraction of the sides or of the shorter side, offset
/// by a fraction of itself. Chooses the roundest numbers that reproduce each window to a pixel;
/// nothing if there are none.
std::optional<preprocess::Crop> common_crop(const std::vector<SeenCropWindow>& windows);

}  // namespace edgeprobe::diagnose
