// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "placement/search/pieces.h"
#include "stretch/plan.h"

namespace edgeprobe::placement {

/// A model and the processors that its layers may be split across, the fastest first.
struct SplitTask {
  PieceTimes& pieces;  ///< Of the whole model.
  std::vector<stretch::Processor> processors;
  /// Seconds of the whole model on each processor, measured separately.
  std::vector<double> seconds;
  /// Called after each measurement, with the number still to come at most.
  std::function<void(std::size_t further)> tell;
};

/// A plan that splits layers, with the prediction from its parts.
struct SplitPlan {
  std::string name;  ///< "5 splits by channels over 2 processors".
  stretch::Plan plan;
  /// Seconds with the parts of each split measured in parallel, and with each measured separately.
  double seconds = 0, seconds_alone = 0;
};

/// Layers with less than this share of the model's work are skipped.
inline constexpr double kWorthSplitting = 1.0 / 40;

/// At most two plans, by channels and by rows. For each run of layers, its parts are measured with
/// shares that make them equally long; on processors of one kind, that are equal shares. A split is
/// kept if its slowest part is faster than the whole run; then the parts are measured in parallel.
/// Empty if no split is kept. kUnsupported, with the reason, for models that cannot be split;
/// kInterrupted.
Result<std::vector<SplitPlan>> split_plans(const SplitTask& task, const Control& control);

}  // namespace edgeprobe::placement
