// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "diagnose/preprocessing/model/ranges.h"
#include "why/sides.h"

namespace edgeprobe::why {

/// Usual ways from pixels 0..255 to real values, the plainest first.
std::vector<diagnose::Range> usual_ranges(int channels);

/// The recipe of a tensor of this spec, with a range: resize to its size, RGB, its layout and type.
preprocess::Recipe plain_recipe(const TensorSpec& spec, const diagnose::PictureLayout& layout,
                                const diagnose::Range& range);

/// 8-bit pixels from which one side's values come, exactly, and the recipe that leads from them.
struct Pixels {
  std::vector<preprocess::Image> images;  ///< One a frame.
  std::vector<Bytes> files;               ///< The same as PNG: nothing was lost on the way.
  preprocess::Recipe recipe;
  diagnose::Range range;
  double step = 1;  ///< Of the values, for one step of a pixel.
};
/// Nothing when the values lie between the steps of 8-bit pixels in every usual range.
std::optional<Pixels> pixels_of(const Side& side, const diagnose::PictureLayout& layout,
                                std::size_t frames);

/// The usual range in which the values can lie, exactly or not.
diagnose::Range likely_range(const Side& side, const diagnose::PictureLayout& layout);

}  // namespace edgeprobe::why
