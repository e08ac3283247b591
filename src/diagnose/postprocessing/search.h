// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/control.h"
#include "diagnose/postprocessing/hypothesis.h"
#include "diagnose/postprocessing/predictions.h"
#include "diagnose/postprocessing/recorded.h"

namespace edgeprobe::diagnose::postprocessing {

enum class SearchStatus {
  kAgrees,      ///< The reference's recipe gives the answers of all frames.
  kExact,       ///< Another recipe does.
  kSomeFrames,  ///< Another does in the frames where the reference's does not.
  kPartial,     ///< The nearest recipe leaves less than half of the distance.
  kUnknown,
};

/// A recipe that gives the recorded answers.
struct Explanation {
  std::vector<Change> changes;  ///< To the reference's.
  double weight = 0;
  /// Whether what it predicts and the reference's does not is more than luck: see evidence.h.
  bool is_proven = false;
  double bits = 0;         ///< Of the change that has the least.
  double needed = 0;       ///< Of that one.
  bool owes_ties = false;  ///< Some labels are right because their scores tie.
};

/// Why a proof is weak, or what two explanations differ in.
struct Decider {
  enum class Kind { kNone, kClass, kCount, kScores, kMoreFrames } kind = Kind::kNone;
  int class_id = -1;  ///< kClass: an answer with it would tell the first two apart.
  std::string name;   ///< Of that class by the reference's table; untrusted.
};

struct Finding {
  SearchStatus status = SearchStatus::kAgrees;
  std::vector<Explanation> explanations;  ///< That fit equally, most usual first.
  Decider decider;
  Parts before, after;     ///< Of the worst frame; by the reference and by the best recipe.
  std::size_t frames = 0;  ///< With answers.
  std::vector<std::uint32_t> unlike;  ///< Frames that the reference's recipe does not explain.
  Judged judged = Judged::kNothing;
  bool has_scores = false;
  std::size_t evaluations = 0;
};

/// Looks for the fewest changes to the reference's recipe that give the recorded answers. The label
/// tables are loaded. kUsage when the reference's recipe does not fit the recorded outputs;
/// kInterrupted when the user stopped it.
Result<Finding> search(std::span<const RecordedFrame> frames,
                       const postprocess::Classification& reference, const Control& control);

}  // namespace edgeprobe::diagnose::postprocessing
