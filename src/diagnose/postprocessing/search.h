// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>

#include "core/control.h"
#include "core/result.h"
#include "diagnose/postprocessing/hypothesis.h"
#include "diagnose/postprocessing/predictions.h"
#include "diagnose/postprocessing/recorded.h"

namespace edgeprobe::diagnose::postprocessing {

using Explanation = search::Explanation<Hypothesis>;

/// Why evidence is weak, or how two explanations differ.
struct Decider {
  enum class Kind { kNone, kClass, kCount, kScores, kMoreFrames } kind = Kind::kNone;
  /// kClass: an answer with this class would distinguish the first two explanations.
  int class_id = -1;
  std::string name;  ///< Name of that class in the reference's table; untrusted.
};

struct Finding : search::Finding<Hypothesis> {
  Decider decider;
  /// Differences in the worst frame: from the reference's recipe, and from the best one.
  Parts before, after;
  Judged judged = Judged::kNothing;
  bool has_scores = false;
  std::size_t classes = 0;
  /// Maps a recorded label to the name it was matched with.
  std::map<std::string, std::string> near_labels;
};

/// Searches for the fewest changes to the reference's recipe that reproduce the recorded answers.
/// The label tables are loaded. kUsage if the reference's recipe does not fit the recorded outputs;
/// kInterrupted if the user stopped it.
Result<Finding> search(std::span<const RecordedFrame> frames,
                       const postprocess::Classification& reference, const Control& control);

/// True if the reference's recipe reproduces all recorded answers.
bool agrees(std::span<const RecordedFrame> frames, const postprocess::Classification& reference);

}  // namespace edgeprobe::diagnose::postprocessing
