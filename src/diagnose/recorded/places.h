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

/// Frames of a target with a mask or points, and their inputs.
struct RecordedPlaces {
  std::vector<places::Frame> frames;
  postprocess::detection::Size model;  ///< Size of the model's input, in pixels.
  std::size_t answers = 0;             ///< Number of frames with an answer.
  std::string why_not;                 ///< Reason if they cannot be judged, else empty.
};

/// Selects the frames to read.
struct WantedPlaces {
  kinds::AnswerId id{};
  bool needs_picture = true;                        ///< The recipe depends on the picture's size.
  std::size_t most = 500;                           ///< Largest number of frames, evenly spread.
  std::optional<std::uint32_t> one = std::nullopt;  ///< Only this frame.
};

/// Fails if the trace cannot be read.
Result<RecordedPlaces> recorded_places(const Case& known, const WantedPlaces& wanted);

/// Frames of a target with boxes, and their inputs.
struct RecordedBoxes {
  std::vector<boxes::RecordedFrame> frames;
  postprocess::detection::Recipe recipe;  ///< With loaded anchors.
  postprocess::detection::Size model;     ///< Size of the model's input, in pixels.
  std::size_t answers = 0;                ///< Number of frames with an answer.
  std::string why_not;                    ///< Reason if they cannot be judged, else empty.
};

/// Reads at most Case::max_replay frames, evenly spread, or only frame `one`. The label files of
/// `recipe` are loaded. Fails if the trace cannot be read.
Result<RecordedBoxes> recorded_boxes(const Case& known,
                                     const postprocess::detection::Recipe& recipe,
                                     std::optional<std::uint32_t> one = std::nullopt);

}  // namespace edgeprobe::diagnose
