// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>

#include "core/result.h"
#include "core/tensor.h"
#include "preprocess/recipe/recipe.h"

/// The steps that change values in place and leave pixels where they are.
namespace edgeprobe::preprocess {

/// The nearest 8-bit pixel.
double whole(double value);

/// Which of R, G, B (0, 1, 2) each channel is.
std::array<int, 3> channels_of(ChannelOrder order);

/// Puts the channels into another order, or makes three equal channels of one.
void reorder(Raster& raster, ChannelOrder from, ChannelOrder to);
/// `order` is that of the channels at this point. kUsage when 8-bit arithmetic finds other values.
Status to_gray(Raster& raster, const Gray& step, ChannelOrder order);
/// kUsage when `gain` or `offset` has another number of values than channels.
Status tone(Raster& raster, const Tone& step);
/// `order` is that of the channels at this point; one channel stays what it is but for the range.
void recode(Raster& raster, const Recode& step, ChannelOrder order);
/// What recode() does to R, G, B before rounding: three rows of factors and a constant.
std::array<std::array<double, 4>, 3> recode_matrix(const Recode& step);
/// kUsage when the result leaves float's range. Three channels.
Status matrix(Raster& raster, const Matrix& step);
/// Gives mean and deviation of what it divided by, for the widest channel.
struct Moments {
  double mean = 0, deviation = 1;
};
Moments standardize(Raster& raster, const Standardize& step);
/// kUsage when the result leaves float's range, or when `mean` has another number of values than
/// channels.
Status scale(Raster& raster, const Scale& step);
Status normalize(Raster& raster, const Normalize& step);
/// Rounds half away from zero and saturates to the range of an integer type; float types leave it
/// alone.
void cast(Raster& raster, DType dtype);
/// round(x / scale) + zero_point, saturated to `dtype`.
void quantize(Raster& raster, double scale, std::int64_t zero_point, Quantize::Round round,
              DType dtype);

/// Turns over the top bit of 8-bit codes; other types stay as they are.
void flip_sign(Raster& raster, DType dtype);

struct IntegerRange {
  double least = 0, most = 0;
};
/// The range of an 8- or 16-bit integer type; nothing for others.
std::optional<IntegerRange> integer_range(DType dtype);

}  // namespace edgeprobe::preprocess
