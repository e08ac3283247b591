// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "dataset/sample.h"
#include "model/graph.h"
#include "pipeline/run_options.h"
#include "pipeline/spec.h"

namespace edgeprobe::pipeline {

/// A frame that the plain pass finished.
struct Ran {
  std::size_t sample = 0;  ///< Index into the samples.
  std::uint32_t frame = 0;
  std::uint64_t time_ns = 0;
  std::uint64_t outputs = 0;  ///< fingerprint() of the plain model's outputs.
  std::uint64_t input = 0;    ///< fingerprint() of its inputs.
  /// Carried states among its inputs, in the order of Pipeline::states, for further passes.
  std::vector<Bytes> states = {};
  bool begins_sequence = false;
};

/// A hash of all output bytes: equal outputs, equal fingerprints.
std::uint64_t fingerprint(const std::vector<Tensor>& outputs);

/// The largest relative L2 distance between outputs of one place; 1 when they cannot be compared or
/// are not finite.
double farthest(const std::vector<Tensor>& plain, const std::vector<Tensor>& captured);
/// Engines that fuse less when intermediates are outputs round otherwise: up to this distance.
inline constexpr double kRounding = 1e-5;

/// Record of a trace whose outputs and layers are of two computations: how far apart (farthest()).
inline constexpr const char *kCaptureRecord = "edgeprobe.capture", *kMovedBy = "outputs_moved_by";

/// The model's inputs of a frame once more, for a further pass over it. kUsage when a user's
/// function gives others than in the plain pass: layers of one input beside another would accuse
/// the engine. kInterrupted when stopped.
Result<std::vector<Tensor>> inputs_again(Pipeline& pipeline, const dataset::Sample& sample,
                                         const Ran& ran, const Control& control);

/// The tensors that a level captures besides inputs and outputs, in execution order.
std::vector<int> captured_tensors(const model::Graph& graph, Level level);

/// Captures them in groups that fit the budget: one pass over `ran` for each group, each with a
/// patched copy of the model. Counts frames whose final outputs were not those of the plain model.
Status capture_passes(Pipeline& pipeline, const std::vector<dataset::Sample>& samples,
                      const std::vector<Ran>& ran, trace::Writer& writer, const RunOptions& options,
                      RunSummary& summary, const Control& control);

}  // namespace edgeprobe::pipeline
