// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "model/graph.h"
#include "stretch/flow.h"
#include "stretch/groups.h"
#include "stretch/plan.h"

namespace edgeprobe::stretch {

/// A model with splits carried out.
struct SplitModel {
  Bytes file;
  model::Graph graph;
  Flow flow;
  std::vector<Split> splits;                          ///< In the order of their layers.
  std::vector<std::vector<std::vector<int>>> layers;  ///< Of each part, by split and part.
};
/// The errors of split().
Result<SplitModel> split_model(const model::Graph& graph, ByteView file, std::vector<Split> splits);

/// The plan that runs a model with these splits, each part on the processor of its number, what is
/// between two splits on the first one. `graph`: the model as it is. kUnsupported for more pieces
/// than a plan can have.
Result<Plan> plan_of_splits(const model::Graph& graph, const SplitModel& made,
                            const std::vector<Processor>& processors);

/// The same of all layers that can be split, by channels or by rows, with shares by what the
/// processors' emulated slow-downs leave of their speed. kUsage for less than two processors,
/// kUnsupported where no layer can be split.
Result<Plan> plan_of_all_splits(const model::Graph& graph, ByteView file, bool by_rows,
                                const std::vector<Processor>& processors);

}  // namespace edgeprobe::stretch
