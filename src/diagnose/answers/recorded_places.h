// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/case.h"
#include "diagnose/postprocessing/fewest/frame.h"

namespace edgeprobe::diagnose {

/// Height and width of a model input that is a picture, [1, H, W, C] or [1, C, H, W].
std::optional<postprocess::detection::Size> input_size(const Shape& shape);

/// A frame's outputs in the model's order; nothing when one was not recorded, or all are too large
/// to be kept in memory.
Result<std::optional<std::vector<Tensor>>> outputs_at(const trace::Reader& reader,
                                                      std::uint32_t frame);

/// Size of the picture that the recipe gets, upright where it turns by what the file says.
std::optional<postprocess::detection::Size> picture_size(const Case& known, std::size_t sample);

/// Frames of a target with a mask, or with points, and all that they are made of.
struct RecordedPlaces {
  std::vector<fewest::PlacedFrame> frames;
  postprocess::detection::Size model;  ///< Of the model's input, in pixels.
  std::size_t answers = 0;             ///< Frames with an answer.
  std::string why_not;                 ///< Why they cannot be judged; empty: they can.
};

/// What is read of a recording.
struct WantedPlaces {
  bool (*is_wanted)(const trace::Answer&) = nullptr;
  const char* name = "";                            ///< "mask".
  bool needs_picture = true;                        ///< The recipe depends on the picture's size.
  std::size_t most = 500;                           ///< Frames, evenly spread.
  std::optional<std::uint32_t> one = std::nullopt;  ///< This frame alone.
};

/// Reads them. Fails when the trace does.
Result<RecordedPlaces> recorded_places(const Case& known, const WantedPlaces& wanted);

}  // namespace edgeprobe::diagnose
