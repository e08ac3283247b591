// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>

#include "core/control.h"
#include "core/result.h"
#include "diagnose/postprocessing/boxes/predictions.h"

namespace edgeprobe::diagnose::boxes {

using Explanation = search::Explanation<Recipe>;

struct Finding : search::Finding<Recipe> {
  /// Differences in the worst frame: from the reference's recipe, and from the first explanation.
  Parts before, after;
  Judged judged = Judged::kNothing;
  bool has_scores = false, judges_points = false;
  /// Maps a recorded label to the name it was matched with.
  std::map<std::string, std::string> near_labels;
};

/// Searches for the fewest changes to the reference's recipe that reproduce the recorded boxes.
/// Anchors and label tables are loaded; `model` is the size of the model's input. kUsage if the
/// recipe does not fit the recorded outputs; kInterrupted if the user stopped it.
Result<Finding> search(std::span<const RecordedFrame> frames, const Recipe& reference, Size model,
                       const Control& control);

}  // namespace edgeprobe::diagnose::boxes
