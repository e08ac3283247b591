// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "preprocess/picture/yuv.h"

namespace edgeprobe::preprocess {

/// How recorded bytes become pixels: the step decode(…), allowed only as a recipe's first step.
/// Unset fields follow the file, or the description of the camera frame.
struct Decode {
  // For camera frames: the layout to assume. Switching between pairs and planes also changes the
  // chroma stride.
  std::optional<YuvLayout> layout;
  std::optional<YuvMatrix> matrix;
  std::optional<YuvRange> range;
  enum class Stride {
    kGiven,
    /// Read as if no row were padded: rows and chroma come from the wrong offsets.
    kIgnored,
    /// Each plane begins at the right offset, but is read as if its rows were not padded.
    kIgnoredInPlanes,
  } stride = Stride::kGiven;
  YuvArithmetic arithmetic = YuvArithmetic::kRounded;

  // For JPEG; no effect on other pictures, except that `scale` is refused there.
  /// Decoded at 1/1, 1/2, 1/4 or 1/8 of both sides (rounded up); the picture has that size.
  int scale = 1;
  bool plain_upsampling = false;  ///< Chroma samples repeated instead of smoothed.
  bool fast_dct = false;          ///< libjpeg's inexact integer transform.

  // For PNG; no effect on other pictures.
  /// 16-bit samples: keep the high byte; round to 8 bits; or, for gray pictures, clip at 255, as
  /// Pillow's convert("RGB") does.
  enum class Depth { kHighByte, kRounded, kClipped } depth = Depth::kHighByte;
  /// Dropped, or blended with black or white.
  enum class Alpha { kDropped, kBlack, kWhite } alpha = Alpha::kDropped;

  /// Rotated and mirrored as the file's EXIF or the frame's description states.
  bool oriented = false;

  bool operator==(const Decode&) const = default;
};

}  // namespace edgeprobe::preprocess
