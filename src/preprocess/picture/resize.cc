// SPDX-License-Identifier: Apache-2.0
#include "preprocess/picture/resize.h"

namespace edgeprobe::preprocess {
namespace {

bool opencv_has(const Resampling& r) {
  switch (r.kernel) {
    case Kernel::kNearest:
    case Kernel::kArea: return true;
    case Kernel::kBilinear:
    case Kernel::kLanczos4: break;
    case Kernel::kBicubic:
      if (r.cubic_a != -0.75) return false;
      break;
    case Kernel::kBox:
    case Kernel::kLanczos3: return false;
  }
  return r.align == Align::kHalfPixel && !r.antialias && r.edge == Edge::kReplicate;
}

bool pillow_has(const Resampling& r) {
  return r.kernel == Kernel::kNearest || r.kernel == Kernel::kBox ||
         (r.antialias && r.kernel != Kernel::kArea);
}

}  // namespace

Status check_rounding(const Resampling& resampling, Rounding rounding) {
  if (rounding == Rounding::kOpencv && !opencv_has(resampling)) {
    return Error{
        ErrorKind::kUsage,
        "round=opencv exists for nearest, area, and for bilinear, bicubic (a=-0.75) and lanczos4 "
        "with antialias=off and align=half_pixel"};
  }
  const bool pillow = rounding == Rounding::kPillow || rounding == Rounding::kPillow12;
  if (pillow && !pillow_has(resampling)) {
    return Error{
        ErrorKind::kUsage,
        "round=pillow and round=pillow12 exist for nearest, box, and kernels with antialias=on"};
  }
  return {};
}

bool is_library(Rounding rounding) {
  return rounding == Rounding::kOpencv || rounding == Rounding::kPillow ||
         rounding == Rounding::kPillow12;
}

bool is_whole_8bit(const Raster& raster) {
  // No branches, so that it vectorises; the first comparison also keeps NaN out of the conversion.
  bool whole = true;
  for (const float v : raster.values) {
    const float inside = v >= 0.0f && v <= 255.0f ? v : -1.0f;
    whole &= inside >= 0.0f && inside == float(int(inside));
  }
  return whole;
}

Result<Raster> resize(const Image& image, int height, int width, const Resampling& resampling,
                      Rounding rounding) {
  EP_CHECK(check_rounding(resampling, rounding));
  if (!is_library(rounding) || resampling.kernel == Kernel::kNearest)
    return resize(to_raster(image), height, width, resampling, rounding);
  if (rounding == Rounding::kOpencv)
    return to_raster(resize_opencv(image, height, width, resampling));
  const Resizer axes = resizer(resampling, image.height, image.width, height, width);
  const bool width_first = rounding == Rounding::kPillow12 ||
                           !pillow_height_first(image.height, image.width, height, width);
  return to_raster(resize_pillow(image, axes, width_first));
}

Result<Raster> resize(const Raster& raster, int height, int width, const Resampling& resampling,
                      Rounding rounding) {
  EP_CHECK(check_rounding(resampling, rounding));
  if (is_library(rounding) && !is_whole_8bit(raster)) {
    return Error{ErrorKind::kUsage,
                 "8-bit arithmetic (round=opencv, round=pillow) needs whole numbers in 0..255; "
                 "an earlier step made others"};
  }
  // Nearest copies whole pixels: every rounding yields the same.
  if (is_library(rounding) && resampling.kernel != Kernel::kNearest)
    return resize(to_image(raster), height, width, resampling, rounding);
  const Resizer axes = resizer(resampling, raster.height, raster.width, height, width);
  Raster resized = resample(raster, axes.rows, axes.columns);
  if (rounding == Rounding::kUint8 && resampling.kernel != Kernel::kNearest) {
    return to_raster(to_image(resized));
  }
  return resized;
}

}  // namespace edgeprobe::preprocess
