// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/case/study.h"

/// Recorded model inputs beside the reference's, value by value: no recipe and no raw picture is
/// asked for.
namespace edgeprobe::diagnose {

/// Real values of one input as rows, columns, channels, whatever the tensor's layout.
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

/// One frame, and what frames next to it hold; empty where there is none.
struct RecordedPicture {
  std::uint32_t frame = 0;  ///< The target's.
  double distance = 0;      ///< Of its input from the reference's, in gray steps.
  std::vector<float> fed, wanted;
  std::vector<float> fed_before;                   ///< The target's own input one frame earlier.
  std::vector<float> before, before_that, behind;  ///< The reference's, of frames next to it.
};

/// A trace's inputs that differ from the reference's.
struct RecordedPictures {
  PictureLayout layout;
  double unit = 0;     ///< Real values of one gray step.
  double near = 0;     ///< Values this far apart are the same: rounding on both sides.
  std::string colors;  ///< "RGB" or "BGR" as the reference feeds them; empty when not known.
  std::size_t all = 0, differing = 0;     ///< Frames.
  std::vector<double> distances;          ///< Of all frames, ascending, in gray steps.
  std::vector<std::uint32_t> same;        ///< The target's frames that do not differ.
  std::vector<std::uint32_t> frames;      ///< Those that do, ascending.
  std::vector<RecordedPicture> pictures;  ///< Some of them, evenly spread.
};

/// Nothing unless the inputs are pictures and some differ.
Result<std::optional<RecordedPictures>> recorded_pictures(const Study& study,
                                                          const Control& control);

/// "the blue channel", "channel 1".
std::string channel_word(const RecordedPictures& of, std::size_t channel);

}  // namespace edgeprobe::diagnose
