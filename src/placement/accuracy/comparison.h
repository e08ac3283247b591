// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "placement/accuracy/answers.h"
#include "task/task.h"

namespace edgeprobe::placement {

/// Says less than it seems: without a difference, both may still differ by less than the frames
/// can show.
enum class AccuracyVerdict {
  kNoDifference,  ///< None shown.
  kBetter,        ///< The model is right more often than the base, beyond chance.
  kWorse,
  kStopped,  ///< Only the first frames ran: no verdict.
};
/// "no difference shown", "differs: better", …
const char* name(AccuracyVerdict verdict);

/// A model against the base, on the frames that both answered.
struct Comparison {
  std::size_t frames = 0;
  /// Frames with the same best class; empty if the numbers of classes differ, so that class numbers
  /// do not mean the same.
  std::optional<task::Figure> same;
  /// The base is the reference; scores are top-1.
  task::PairedTest top_1;
  /// top_1.p_value after Holm's adjustment for all models that are compared with this base.
  double p_adjusted = 1;
  AccuracyVerdict verdict = AccuracyVerdict::kNoDifference;
};

/// One for each model, in order. Samples must be the same.
std::vector<Comparison> compared(const Answers& base, const std::vector<Answers>& models);

}  // namespace edgeprobe::placement
