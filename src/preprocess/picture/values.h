// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>

#include "core/result.h"
#include "core/tensor.h"
#include "preprocess/recipe/recipe.h"

/// The steps that change values but do not move pixels.
namespace edgeprobe::preprocess {

/// The nearest 8-bit pixel.
double whole(double value);

/// Colour (R, G, B: 0, 1, 2) of each channel.
std::array<int, 3> channels_of(ChannelOrder order);

/// Reorders the channels, or expands one channel to three equal ones.
void reorder(Raster& raster, ChannelOrder from, ChannelOrder to);
/// `order`: channel order at this point. kUsage if 8-bit arithmetic gets values that are not 8-bit.
Status to_gray(Raster& raster, const Gray& step, ChannelOrder order);
/// kUsage if `gain` or `offset` has neither one value nor one for each channel.
Status tone(Raster& raster, const Tone& step);
/// `order`: channel order at this point; a single channel changes only its range.
void recode(Raster& raster, const Recode& step, ChannelOrder order);
/// The effect of recode() on R, G, B before rounding: three rows of factors and a constant.
std::array<std::array<double, 4>, 3> recode_matrix(const Recode& step);
/// kUsage if the result exceeds float's range. Needs three channels.
Status matrix(Raster& raster, const Matrix& step);
/// The mean and deviation used for standardizing, of the widest channel.
struct Moments {
  double mean = 0, deviation = 1;
};
Moments standardize(Raster& raster, const Standardize& step);
/// kUsage if the result exceeds float's range, or if `mean` has neither one value nor one for each
/// channel.
Status scale(Raster& raster, const Scale& step);
Status normalize(Raster& raster, const Normalize& step);
/// Rounds half away from zero and saturates to the range of an integer type; leaves float types
/// unchanged.
void cast(Raster& raster, DType dtype);
/// round(x / scale) + zero_point, saturated to `dtype`.
void quantize(Raster& raster, double scale, std::int64_t zero_point, Quantize::Round round,
              DType dtype);

/// Flips the top bit of 8-bit codes; leaves other types unchanged.
void flip_sign(Raster& raster, DType dtype);

struct IntegerRange {
  double least = 0, most = 0;
};
/// Returns the range of an 8- or 16-bit integer type; empty for others.
std::optional<IntegerRange> integer_range(DType dtype);

}  // namespace edgeprobe::preprocess
