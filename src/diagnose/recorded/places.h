// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/postprocessing/boxes/hypothesis.h"
#include "diagnose/postprocessing/places/frame.h"
#include "diagnose/recorded/recording.h"
#include "kinds/answer_kinds.h"

namespace edgeprobe::diagnose {

/// Frames of a target with a mask, or with points, and all that they are made of.
struct RecordedPlaces {
  std::vector<places::Frame> frames;
  postprocess::detection::Size model;  ///< Of the model's input, in pixels.
  std::size_t answers = 0;             ///< Frames with an answer.
  std::string why_not;                 ///< Why they cannot be judged; empty: they can.
};

/// What is read of a recording.
struct WantedPlaces {
  kinds::AnswerId id{};
  bool needs_picture = true;                        ///< The recipe depends on the picture's size.
  std::size_t most = 500;                           ///< Frames, evenly spread.
  std::optional<std::uint32_t> one = std::nullopt;  ///< This frame alone.
};

/// Reads them. Fails when the trace does.
Result<RecordedPlaces> recorded_places(const Case& known, const WantedPlaces& wanted);

/// Frames of a target with boxes and all that they are made of.
struct RecordedBoxes {
  std::vector<boxes::RecordedFrame> frames;
  postprocess::detection::Recipe recipe;  ///< Anchors loaded.
  postprocess::detection::Size model;     ///< Of the model's input, in pixels.
  std::size_t answers = 0;                ///< Frames with an answer.
  std::string why_not;                    ///< Why they cannot be judged; empty: they can.
};

/// Reads them, at most Case::max_replay frames, evenly spread, or the one that is given. The label
/// files of `recipe` are loaded. Fails when the trace does.
Result<RecordedBoxes> recorded_boxes(const Case& known,
                                     const postprocess::detection::Recipe& recipe,
                                     std::optional<std::uint32_t> one = std::nullopt);

}  // namespace edgeprobe::diagnose
