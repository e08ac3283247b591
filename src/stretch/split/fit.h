// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/bytes.h"
#include "core/result.h"
#include "model/graph.h"
#include "stretch/plan.h"
#include "stretch/schedule.h"

namespace edgeprobe::stretch {

/// A plan over its model.
struct Fitted {
  model::Graph graph;          ///< The model's, or that of `split`.
  std::optional<Bytes> split;  ///< The model with the splits of the plan carried out.
  Schedule schedule;           ///< Over `graph`.

  /// The file of `graph`, where `whole` is that of the model.
  ByteView file(ByteView whole) const { return split ? ByteView(*split) : whole; }
};

/// kUsage for a plan of another model, with the first layer that differs; then as split() and
/// schedule_of().
Result<Fitted> fit(const Plan& plan, model::Graph graph, ByteView file);

/// The model with these splits carried out: each part has its share of the weights, and what is
/// between `from` and `to` is there in parts alone, with "/part1", "/part2" behind the names.
/// kUsage, with the place, for layers that cannot be split, with the reason, parts that do not add
/// up and splits that share layers; kUnsupported for a .tflite.
Result<Bytes> split(const model::Graph& graph, ByteView file, const std::vector<Split>& splits);

}  // namespace edgeprobe::stretch
