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

/// A model and the processors that its layers may be split over, the fastest first.
struct SplitTask {
  PieceTimes& pieces;  ///< Of the whole model.
  std::vector<stretch::Processor> processors;
  std::vector<double> seconds;  ///< Of the whole model on each processor, alone.
  std::function<void()> tell;   ///< After each measurement.
};

/// A plan that splits layers, and what its parts alone promise.
struct SplitPlan {
  std::string name;  ///< "5 splits by channels over 2 processors".
  stretch::Plan plan;
  /// Seconds, the parts of each split measured at once; and as if each ran alone.
  double seconds = 0, seconds_alone = 0;
};

/// Layers with less than this share of the model's work are not looked at.
inline constexpr double kWorthSplitting = 1.0 / 40;

/// At most two plans, by channels and by rows: of each run of layers its parts are measured beside
/// it, with shares that make them equally long, and a split stays where its slowest part is faster
/// than the whole run; then parts are measured at once. Nothing where no split is. kUnsupported,
/// with the reason, for models that are not split; kInterrupted.
Result<std::vector<SplitPlan>> split_plans(const SplitTask& task, const Control& control);

}  // namespace edgeprobe::placement
