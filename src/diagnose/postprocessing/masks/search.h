// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "diagnose/postprocessing/masks/hypothesis.h"

namespace edgeprobe::diagnose::masks {

struct Finding : search::Finding<Recipe> {
  std::vector<std::string>
      parts;  ///< Parts that differ in the worst frame: "size", "outline", "classes".
};

/// Searches for the fewest changes to the reference's recipe that reproduce the recorded masks.
/// Colours are loaded; `model` is the size of the model's input. kUsage if the recipe does not fit
/// the outputs; kInterrupted if the user stopped it.
Result<Finding> search(std::span<const RecordedFrame> frames, const Recipe& reference, Size model,
                       const Control& control);

/// Describes the app's deviation: "the app leaves … ; the reference's recipe has …".
std::string words(const Change& change, const Recipe& reference);

}  // namespace edgeprobe::diagnose::masks
