// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "diagnose/postprocessing/boxes/predictions.h"

namespace edgeprobe::diagnose::boxes {

enum class SearchStatus {
  kAgrees,      ///< The reference's recipe gives the boxes of all frames.
  kExact,       ///< Another recipe does.
  kSomeFrames,  ///< Another does in the frames where the reference's does not.
  kPartial,     ///< The nearest recipe leaves less than half of the distance.
  kUnknown,
};

/// Changes to the reference's recipe that give the recorded answers.
struct Explanation {
  std::vector<Change> changes;
  double weight = 0;
  double distance = 0;     ///< What is left of it on the worst frame.
  bool is_proven = false;  ///< Each of its changes predicts more than luck would (see proof.h).
  double bits = 0, needed = 0;  ///< Of the change that has the least to spare.
};

struct Finding {
  SearchStatus status = SearchStatus::kAgrees;
  std::vector<Explanation> explanations;  ///< That fit equally, most usual first.
  Parts before, after;     ///< Of the worst frame; by the reference and by the first explanation.
  std::size_t frames = 0;  ///< With boxes.
  std::vector<std::uint32_t> unlike;  ///< Frames that the reference's recipe does not explain.
  std::uint32_t worst = 0;            ///< One of them.
  Judged judged = Judged::kNothing;
  bool has_scores = false;
  std::size_t evaluations = 0;
};

/// Looks for the fewest changes to the reference's recipe that give the recorded boxes. Anchors and
/// label tables are loaded; `model` is the size of the model's input. kUsage when the recipe does
/// not fit the recorded outputs; kInterrupted when the user stopped it.
Result<Finding> search(std::span<const RecordedFrame> frames, const Recipe& reference, Size model,
                       const Control& control);

/// The reference's recipe with changes, all but one if `left_out` is one of them.
Recipe changed(const Recipe& reference, std::span<const Change> changes,
               const Change* left_out = nullptr);

}  // namespace edgeprobe::diagnose::boxes
