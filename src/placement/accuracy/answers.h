// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "dataset/sample.h"
#include "pipeline/spec.h"
#include "task/task.h"

/// How often the executed model is right, and whether another one differs by more than chance.
namespace edgeprobe::placement {

/// One model's answer to one labelled frame.
struct FrameAnswer {
  int best = -1;  ///< The class with the largest score; -1: all scores are NaN.
  /// An accepted class has the largest score, or one of the five largest.
  bool is_best = false, is_among_5 = false;

  bool operator==(const FrameAnswer&) const = default;
};

struct Answers {
  /// One for each sample; empty: not reached, unreadable, or without a usable label.
  std::vector<std::optional<FrameAnswer>> frames;
  std::size_t classes = 0;         ///< Scores of the output that holds the answer; 0: no frame ran.
  std::size_t unlabelled = 0;      ///< Samples without a class as annotation; they are not run.
  std::size_t beyond = 0;          ///< Labels beyond the classes of the model.
  std::size_t without_answer = 0;  ///< Frames whose scores are all NaN; they count as wrong.
  std::vector<dataset::Unreadable> unreadable;
  bool is_stopped = false;  ///< The user stopped it: later frames are missing.
};

/// Runs the labelled samples through the pipeline. kUnsupported for a model without one score for
/// each class, kUsage if no sample has a label. A stop keeps the frames before it.
Result<Answers> answers(pipeline::Pipeline& pipeline, const std::vector<dataset::Sample>& samples,
                        const Control& control);

/// Share of the frames whose class is the best, with Wilson's interval.
task::Figure top_1(const Answers& answers);
/// The same among the best five; empty for models with at most five classes, which are always
/// right.
std::optional<task::Figure> top_5(const Answers& answers);

}  // namespace edgeprobe::placement
