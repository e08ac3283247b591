// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/case.h"
#include "diagnose/postprocessing/boxes/hypothesis.h"

namespace edgeprobe::diagnose {

/// The reference's recipe behind "||" when it makes boxes, label files loaded; else nothing. Fails
/// when it cannot be read.
Result<std::optional<postprocess::detection::Recipe>> box_recipe(const Case& known);

/// Frames of a target with boxes and all that they are made of.
struct RecordedBoxes {
  std::vector<boxes::RecordedFrame> frames;
  postprocess::detection::Recipe recipe;  ///< Anchors loaded.
  postprocess::detection::Size model;     ///< Of the model's input, in pixels.
  std::size_t answers = 0;                ///< Frames with an answer.
  std::string why_not;                    ///< Why they cannot be judged; empty: they can.
};

/// Reads them, at most Case::max_replay frames, evenly spread, or the one that is given.
/// `recipe` is box_recipe()'s. Fails when the trace does.
Result<RecordedBoxes> recorded_boxes(const Case& known,
                                     const postprocess::detection::Recipe& recipe,
                                     std::optional<std::uint32_t> one = std::nullopt);

}  // namespace edgeprobe::diagnose
