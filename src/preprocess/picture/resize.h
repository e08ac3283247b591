// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result.h"
#include "preprocess/decode/image.h"
#include "preprocess/picture/kernels.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::preprocess {

/// States why a kernel cannot be combined with a rounding, or succeeds. OpenCV's arithmetic exists
/// for nearest and for the half-pixel kernels without antialias (bicubic with a = -0.75); Pillow's
/// for nearest and the antialiased kernels.
Status check_rounding(const Resampling& resampling, Rounding rounding);

/// Resizes to height x width with the given rounding. kOpencv, kPillow and kPillow12 read 8-bit
/// pixels: kUsage if a value is not a whole number in 0..255, or for check_rounding()'s reason.
Result<Raster> resize(const Raster& raster, int height, int width, const Resampling& resampling,
                      Rounding rounding);

/// The same for 8-bit pixels, with a library's rounding: it makes no real numbers of the image
/// first.
Result<Raster> resize(const Image& image, int height, int width, const Resampling& resampling,
                      Rounding rounding);

/// The 8-bit arithmetic of OpenCV and of Pillow; check_rounding() must have passed.
Image resize_opencv(const Image& image, int height, int width, const Resampling& resampling);
Image resize_pillow(const Image& image, const Resizer& resizer, bool width_first);

/// True if Pillow 13 resizes the height before the width: when that pass removes more than twice as
/// many rows as the other removes columns. Earlier versions never do.
bool pillow_height_first(int height, int width, int new_height, int new_width);

/// True for kOpencv, kPillow, kPillow12: integer arithmetic on whole 8-bit values.
bool is_library(Rounding rounding);

/// True if all values are whole numbers in 0..255.
bool is_whole_8bit(const Raster& raster);

}  // namespace edgeprobe::preprocess
