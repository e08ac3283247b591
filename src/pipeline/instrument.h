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

/// A model that is open in an engine. All of it must outlive what is done with it.
struct OpenModel {
  const model::Graph& graph;
  ByteView file;
  std::string label;
  engine::Engine& engine;
  engine::Session& session;  ///< Of the model as it is.
  const engine::SessionOptions& options;
};

/// A copy of a model whose layers are outputs too, for an application that records them itself.
struct Instrumented {
  Bytes file;
  std::size_t own_outputs = 0;      ///< The first outputs are those of the model as it was.
  std::vector<std::string> layers;  ///< The names of the outputs behind them, in order.
};
/// `wanted` picks tensors by name; empty: all that the level records. kUsage when that leaves none.
Result<Instrumented> instrument(const OpenModel& model, Level level,
                                const std::function<bool(const std::string&)>& wanted);

/// What the copy did to the model's own outputs.
struct Perturbation {
  std::size_t inputs = 0;         ///< That both models were given.
  std::size_t moved = 0;          ///< Of these, those for which an own output differed by any bit.
  double farthest = 0;            ///< The largest relative L2 distance of an own output.
  std::uint64_t layer_bytes = 0;  ///< Of all layers of one inference together.
  double plain_ms = 0, instrumented_ms = 0;  ///< Median times of an inference, both in turn.
};
/// Loads the copy beside the model, in the same engine with the same settings, and runs both on
/// every set of inputs in turn.
Result<Perturbation> perturbation(const OpenModel& model, const Instrumented& copy,
                                  const std::vector<std::vector<Tensor>>& inputs,
                                  const Control& control);

}  // namespace edgeprobe::pipeline
