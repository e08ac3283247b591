// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "core/bytes.h"
#include "preprocess/decode/image.h"
#include "preprocess/picture/yuv.h"

namespace edgeprobe::dataset {

/// One picture, as recorded and decoded.
struct Picture {
  preprocess::Image image;
  Bytes encoded;  ///< The file as it was read; empty when only pixels are known.
  std::optional<preprocess::YuvFrame> frame;  ///< What `encoded` is, when it is a camera frame.
  /// As recorded, by the file or the camera; pixels are not turned by it.
  int exif_orientation = 1;
};

/// What a sensor gave, before any pre-processing. A stage visits the kinds that it knows; another
/// kind is one more alternative here, and the compiler names the stages that lack it.
using RawInput = std::variant<Picture>;

/// A sample's raw input, read.
struct Loaded {
  RawInput input;
  std::string sha256;  ///< Of the recorded bytes, or of the pixels where only these are known.
};

/// The picture that a raw input is; null for another kind.
inline const Picture* picture_of(const RawInput& input) { return std::get_if<Picture>(&input); }
inline Picture* picture_of(RawInput& input) { return std::get_if<Picture>(&input); }

}  // namespace edgeprobe::dataset
