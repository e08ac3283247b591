// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnose/preprocessing/model/ranges.h"
#include "why/sides.h"

namespace edgeprobe::why {

/// Usual mappings from pixels 0..255 to real values, the simplest first.
std::vector<diagnose::Range> usual_ranges(int channels);

/// The recipe for a tensor with this spec and range: resize to its size, RGB, its layout and type.
preprocess::Recipe plain_recipe(const TensorSpec& spec, const diagnose::PictureLayout& layout,
                                const diagnose::Range& range);

/// 8-bit pixels from which one side's values follow exactly, and the recipe from them to the
/// values.
struct Pixels {
  std::vector<preprocess::Image> images;  ///< One for each frame.
  preprocess::Recipe recipe;
  diagnose::Range range;
  double step = 1;  ///< Change of a value for one step of a pixel.
};
/// Empty if the values are between the steps of 8-bit pixels in every usual range.
std::optional<Pixels> pixels_of(const Side& side, const diagnose::PictureLayout& layout,
                                std::size_t frames);

/// The usual range that may contain the values, exactly or not.
diagnose::Range likely_range(const Side& side, const diagnose::PictureLayout& layout);

}  // namespace edgeprobe::why
