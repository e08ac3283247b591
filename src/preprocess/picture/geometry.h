// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result.h"
#include "preprocess/recipe/recipe.h"

/// The steps that move pixels. Each returns a new raster with the same number of channels.
namespace edgeprobe::preprocess {

Raster rotate(const Raster& raster, const Rotate& step);
Raster flip(const Raster& raster, const Flip& step);
/// kUsage if a window reaches outside the raster.
Result<Raster> crop(const Raster& raster, const Crop& step);
Raster shift(const Raster& raster, const Shift& step);
/// kUsage unless `channel_fill` has one value for each channel.
Result<Raster> letterbox(const Raster& raster, const Letterbox& step);

/// Height and width after resizing a height x width image; kUsage if they exceed the limits of a
/// recipe.
struct Extent {
  int height = 0, width = 0;
};
Result<Extent> resized_extent(const Resize& step, int height, int width);
/// The part of a height x width image that a crop keeps.
struct Window {
  int top = 0, left = 0, height = 0, width = 0;
};
Window crop_window(const Crop& step, int height, int width);
/// Where a letterbox places a height x width image in its frame.
Window letterbox_window(const Letterbox& step, int height, int width);

}  // namespace edgeprobe::preprocess
