// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "audio/clip.h"
#include "core/bytes.h"
#include "core/tensor.h"
#include "preprocess/decode/image.h"
#include "preprocess/picture/yuv.h"
#include "sensor/series.h"

namespace edgeprobe::dataset {

/// One picture, recorded and decoded.
struct Picture {
  preprocess::Image image;
  Bytes encoded;                              ///< The file as read; empty if only pixels are known.
  std::optional<preprocess::YuvFrame> frame;  ///< Format of `encoded` if it is a camera frame.
  /// As recorded by the file or the camera; the pixels are not rotated.
  int exif_orientation = 1;
};

/// A text with the name under which it was recorded.
struct TextPart {
  std::string name;
  std::string text;  ///< UTF-8.
  bool operator==(const TextPart&) const = default;
};
/// One text, or several that enter the model together (question and passage), in order.
struct Text {
  std::vector<TextPart> parts;
  bool operator==(const Text&) const = default;
};

/// Recorded model inputs: arrays by input name. Values of an array without quantisation are real,
/// unless it has exactly the type of a quantised input: then they are its codes.
struct Arrays {
  std::vector<Tensor> arrays;
  /// The picture from which a recipe makes one of the inputs, if there is one.
  std::optional<Picture> picture;
  /// The text from which a text recipe makes inputs.
  std::optional<Text> text = {};
};

/// One recording, decoded.
struct Sound {
  audio::Clip clip;
};

/// Readings of a sensor with one or several axes.
struct Readings {
  sensor::Series series;
};

/// Raw sensor data before any pre-processing, or recorded tensors. To add a kind, add an
/// alternative here; the compiler then reports every stage that does not handle it.
using RawInput = std::variant<Picture, Arrays, Sound, Text, Readings>;

/// A sample's raw input after reading.
struct Loaded {
  RawInput input;
  std::string sha256;  ///< Hash of the recorded bytes, or of the pixels if only these are known.
};

/// The raw input as a picture; null for another kind, including a picture among arrays: the search
/// for faults before the model supports only models with a single picture.
inline const Picture* picture_of(const RawInput& input) { return std::get_if<Picture>(&input); }
inline Picture* picture_of(RawInput& input) { return std::get_if<Picture>(&input); }

/// The raw input as a recording; null for another kind.
inline const Sound* sound_of(const RawInput& input) { return std::get_if<Sound>(&input); }

/// The raw input as readings: its own, or its only recorded array. kUsage for another kind, and for
/// several arrays.
Result<sensor::Series> readings_of(const RawInput& input);
/// The text of a raw input, or the one among its arrays; null without one.
inline const Text* text_of(const RawInput& input) {
  if (const Arrays* const recorded = std::get_if<Arrays>(&input))
    return recorded->text ? &*recorded->text : nullptr;
  return std::get_if<Text>(&input);
}

}  // namespace edgeprobe::dataset
