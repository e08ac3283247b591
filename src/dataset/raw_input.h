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

/// One picture, as recorded and decoded.
struct Picture {
  preprocess::Image image;
  Bytes encoded;  ///< The file as it was read; empty when only pixels are known.
  std::optional<preprocess::YuvFrame> frame;  ///< What `encoded` is, when it is a camera frame.
  /// As recorded, by the file or the camera; pixels are not turned by it.
  int exif_orientation = 1;
};

/// A text, by the name that it was recorded under.
struct TextPart {
  std::string name;
  std::string text;  ///< UTF-8.
  bool operator==(const TextPart&) const = default;
};
/// One text, or several that go into the model together (question and passage), in their order.
struct Text {
  std::vector<TextPart> parts;
  bool operator==(const Text&) const = default;
};

/// What a model takes, as recorded: arrays by the names of its inputs. Values of an array without
/// quantisation are real, unless it has the very type of a quantised input: those are its codes.
struct Arrays {
  std::vector<Tensor> arrays;
  /// What stands for the input that a recipe makes, where there is one.
  std::optional<Picture> picture;
  /// What stands for the inputs that a recipe of text makes.
  std::optional<Text> text = {};
};

/// One recording, decoded.
struct Sound {
  audio::Clip clip;
};

/// Readings of a sensor of one or several axes.
struct Readings {
  sensor::Series series;
};

/// What a sensor gave, before any pre-processing, or recorded tensors. A stage visits the kinds
/// that it knows; another kind is one more alternative here, and the compiler names the stages that
/// lack it.
using RawInput = std::variant<Picture, Arrays, Sound, Text, Readings>;

/// A sample's raw input, read.
struct Loaded {
  RawInput input;
  std::string sha256;  ///< Of the recorded bytes, or of the pixels where only these are known.
};

/// The picture that a raw input is; null for another kind, a picture among arrays included: the
/// search in front of the model is for models with a picture alone.
inline const Picture* picture_of(const RawInput& input) { return std::get_if<Picture>(&input); }
inline Picture* picture_of(RawInput& input) { return std::get_if<Picture>(&input); }

/// The recording that a raw input is; null for another kind.
inline const Sound* sound_of(const RawInput& input) { return std::get_if<Sound>(&input); }

/// The readings that a raw input is: its own, or the only recorded array, taken as such. kUsage for
/// another kind, and for several arrays.
Result<sensor::Series> readings_of(const RawInput& input);
/// The text that a raw input is, or that stands among its arrays; null without one.
inline const Text* text_of(const RawInput& input) {
  if (const Arrays* const recorded = std::get_if<Arrays>(&input))
    return recorded->text ? &*recorded->text : nullptr;
  return std::get_if<Text>(&input);
}

}  // namespace edgeprobe::dataset
