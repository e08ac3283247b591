// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "diagnose/postprocessing/points/hypothesis.h"

namespace edgeprobe::diagnose::points {

struct Finding : search::Finding<Recipe> {
  std::vector<std::string>
      parts;                ///< Of the worst frame, that differ: "points", "shown", "scores".
  bool has_scores = false;  ///< Scores were recorded, and are judged.
};

/// Looks for the fewest changes to the reference's recipe that give the recorded points. Names are
/// loaded; where the answers have the same ones, points are told apart by them. `model` is the size
/// of the model's input. kUsage when the recipe does not fit the outputs; kInterrupted when the
/// user stopped it.
Result<Finding> search(std::span<const RecordedFrame> frames, const Recipe& reference, Size model,
                       const Control& control);

/// What the app does otherwise: "the app mirrors points …; the reference's recipe is …".
std::string words(const Change& change, const Recipe& reference);

}  // namespace edgeprobe::diagnose::points
