// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/bytes.h"
#include "core/result.h"
#include "model/graph.h"
#include "stretch/plan.h"
#include "stretch/schedule.h"

namespace edgeprobe::stretch {

/// A plan fitted to its model.
struct Fitted {
  model::Graph graph;          ///< The model's graph, or that of `split`.
  std::optional<Bytes> split;  ///< The model with the splits of the plan applied.
  Schedule schedule;           ///< For `graph`.

  /// The file of `graph`, if `whole` is that of the model.
  ByteView file(ByteView whole) const { return split ? ByteView(*split) : whole; }
};

/// kUsage for a plan of another model, naming the first layer that differs; then as split() and
/// schedule_of().
Result<Fitted> fit(const Plan& plan, model::Graph graph, ByteView file);

/// Applies splits to the model: each part has its share of the weights, and tensors between `from`
/// and `to` exist only in parts, with "/part1", "/part2" after the names. kUsage, with place and
/// reason, for layers that cannot be split, parts that do not add up and splits that share layers;
/// kUnsupported for a .tflite.
Result<Bytes> split(const model::Graph& graph, ByteView file, const std::vector<Split>& splits);

}  // namespace edgeprobe::stretch
