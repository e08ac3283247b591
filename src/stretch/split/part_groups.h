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

/// A model with its splits applied.
struct SplitModel {
  Bytes file;
  model::Graph graph;
  Flow flow;
  std::vector<Split> splits;                          ///< In layer order.
  std::vector<std::vector<std::vector<int>>> layers;  ///< Layers of each part, by split and part.
};
/// Errors as in split().
Result<SplitModel> split_model(const model::Graph& graph, ByteView file, std::vector<Split> splits);

/// The plan that runs a model with these splits: part n on processor n, layers between two splits
/// on the first. `graph`: the original model. kUnsupported for more pieces than a plan can have.
Result<Plan> plan_of_splits(const model::Graph& graph, const SplitModel& made,
                            const std::vector<Processor>& processors);

/// Same for all layers that can be split, by channels or by rows, with shares in proportion to the
/// speed left by the processors' emulated slowdowns. kUsage for fewer than two processors,
/// kUnsupported if no layer can be split.
Result<Plan> plan_of_all_splits(const model::Graph& graph, ByteView file, bool by_rows,
                                const std::vector<Processor>& processors);

}  // namespace edgeprobe::stretch
