// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "pipeline/run.h"
#include "pipeline/spec.h"

namespace edgeprobe::pipeline {

/// A model that is open in an engine. All members must outlive its use.
struct OpenModel {
  const model::Graph& graph;
  ByteView file;
  std::string label;
  engine::Engine& engine;
  engine::Session& session;  ///< Session of the unmodified model.
  const engine::SessionOptions& options;
};

/// A copy of a model whose layers are outputs too, for an application that records layers itself.
struct Instrumented {
  Bytes file;
  std::size_t own_outputs = 0;      ///< The first outputs are those of the original model.
  std::vector<std::string> layers;  ///< The names of the outputs after these, in order.
};
/// `wanted` selects tensors by name; empty: all that the level records. kUsage if nothing is left.
Result<Instrumented> instrument(const OpenModel& model, Level level,
                                const std::function<bool(const std::string&)>& wanted);

/// Effect of the copy on the model's own outputs.
struct Perturbation {
  std::size_t inputs = 0;  ///< Number of inputs that both models received.
  /// Number of these for which one of the model's own outputs differed in any bit.
  std::size_t moved = 0;
  double farthest = 0;            ///< The largest relative L2 distance of one of these outputs.
  std::uint64_t layer_bytes = 0;  ///< Bytes of all layers of one inference.
  /// Median times of an inference, with both models run in turn.
  double plain_ms = 0, instrumented_ms = 0;
};
/// Loads the copy and the model, in the same engine with the same settings, and runs both in
/// turn on every set of inputs.
Result<Perturbation> perturbation(const OpenModel& model, const Instrumented& copy,
                                  const std::vector<std::vector<Tensor>>& inputs,
                                  const Control& control);

}  // namespace edgeprobe::pipeline
