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
  Parts before, after;  ///< Of the worst frame; by the reference and by the first explanation.
  Judged judged = Judged::kNothing;
  bool has_scores = false;
  std::map<std::string, std::string> near_labels;  ///< That were taken for these names.
};

/// Looks for the fewest changes to the reference's recipe that give the recorded boxes. Anchors and
/// label tables are loaded; `model` is the size of the model's input. kUsage when the recipe does
/// not fit the recorded outputs; kInterrupted when the user stopped it.
Result<Finding> search(std::span<const RecordedFrame> frames, const Recipe& reference, Size model,
                       const Control& control);

}  // namespace edgeprobe::diagnose::boxes
