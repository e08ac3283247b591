#pragma once

#include "core/result.h"
#include "core/tensor.h"
#include "preprocess/recipe.h"

/// The steps that change values in place and leave pixels where they are.
namespace edgeprobe::preprocess {

/// Swaps the first and the third channel, or makes three equal channels of one.
void set_order(Raster& raster, bool swap);
/// `bgr` is the order at this point. kUsage when 8-bit arithmetic finds other values.
Status to_gray(Raster& raster, const Gray& step, bool bgr);
/// kUsage when the result leaves float's range, or when `mean` has another number of values than channels.
Status scale(Raster& raster, const Scale& step);
Status normalize(Raster& raster, const Normalize& step);
/// Rounds half away from zero and saturates to the range of an integer type; float types leave it alone.
void cast(Raster& raster, DType dtype);
/// round(x / scale) + zero_point, saturated to `dtype`.
void quantize(Raster& raster, double scale, std::int64_t zero_point, Quantize::Round round, DType dtype);

/// Turns over the top bit of 8-bit codes; other types stay as they are.
void flip_sign(Raster& raster, DType dtype);

struct IntegerRange { double least = 0, most = 0; };
/// The range of an 8- or 16-bit integer type; nothing for others.
std::optional<IntegerRange> integer_range(DType dtype);

}  // namespace edgeprobe::preprocess
