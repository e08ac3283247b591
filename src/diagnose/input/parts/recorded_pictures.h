// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/case/study.h"

/// Compares recorded model inputs with the reference's value by value, without a recipe or raw
/// picture.
namespace edgeprobe::diagnose {

/// Layout that reads the real values of an input as rows, columns and channels for any tensor
/// layout.
struct PictureLayout {
  std::size_t height = 0, width = 0, channels = 0;
  bool planar = false;

  std::size_t size() const { return height * width * channels; }
  std::size_t at(std::size_t y, std::size_t x, std::size_t c) const {
    return (y * width + x) * channels + c;
  }
};
/// Nothing unless the tensor is a single picture of one to four channels.
std::optional<PictureLayout> picture_layout(const Shape& shape);

/// One frame with the inputs of its neighbours; empty where a neighbour is missing.
struct RecordedPicture {
  std::uint32_t frame = 0;  ///< The target's frame number.
  double distance = 0;      ///< Distance of its input from the reference's, in gray steps.
  std::vector<float> fed, wanted;
  /// The target's own input in the previous frame.
  std::vector<float> fed_before;
  /// The reference's inputs of neighbouring frames.
  std::vector<float> before, before_that, behind;
};

/// A trace's inputs that differ from the reference's.
struct RecordedPictures {
  PictureLayout layout;
  double unit = 0;     ///< One gray step in real values.
  double near = 0;     ///< Values this close count as equal: both sides round.
  std::string colors;  ///< Channel order of the reference: "RGB" or "BGR"; empty if not known.
  std::size_t all = 0, differing = 0;     ///< Numbers of frames.
  std::vector<double> distances;          ///< For all frames, ascending, in gray steps.
  std::vector<std::uint32_t> same;        ///< The target's frames that are equal.
  std::vector<std::uint32_t> frames;      ///< The target's frames that differ, ascending.
  std::vector<RecordedPicture> pictures;  ///< Some of the differing frames, evenly spread.
};

/// Nothing unless the inputs are pictures and some differ.
Result<std::optional<RecordedPictures>> recorded_pictures(const Study& study,
                                                          const Control& control);

/// "the blue channel", "channel 1".
std::string channel_word(const RecordedPictures& of, std::size_t channel);

}  // namespace edgeprobe::diagnose
