// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "preprocess/picture/yuv.h"

namespace edgeprobe::preprocess {

/// How recorded bytes become pixels: the step decode(…), which only a recipe's first step can be.
/// What is not said is as the file, or the description of the camera frame, says it.
struct Decode {
  // Of camera frames.
  /// Taken for this one. Between pairs and planes the chroma's stride changes with it.
  std::optional<YuvLayout> layout;
  std::optional<YuvMatrix> matrix;
  std::optional<YuvRange> range;
  enum class Stride {
    kGiven,
    /// The bytes are read as if no row were padded: rows and chroma come from the wrong place.
    kIgnored,
    /// Each plane begins where it does, but is read as if its rows were not padded.
    kIgnoredInPlanes,
  } stride = Stride::kGiven;
  YuvArithmetic arithmetic = YuvArithmetic::kRounded;

  // Of JPEG; without effect on other pictures, except that `scale` is refused there.
  /// Decoded at 1/1, 1/2, 1/4 or 1/8 of its sides (rounded up): the picture is that small.
  int scale = 1;
  bool plain_upsampling = false;  ///< Chroma samples repeated instead of smoothed.
  bool fast_dct = false;          ///< libjpeg's inexact integer transform.

  // Of PNG; without effect on other pictures.
  /// 16-bit samples: their high byte; rounded to 8 bits; or, of gray pictures, everything above 255
  /// cut off, as Pillow's convert("RGB") does.
  enum class Depth { kHighByte, kRounded, kClipped } depth = Depth::kHighByte;
  /// Dropped, or blended with black or white.
  enum class Alpha { kDropped, kBlack, kWhite } alpha = Alpha::kDropped;

  /// Turned and mirrored as the file's EXIF or the frame's description says.
  bool oriented = false;

  bool operator==(const Decode&) const = default;
};

}  // namespace edgeprobe::preprocess
