// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "dataset/sample.h"
#include "model/graph.h"
#include "pipeline/run_options.h"
#include "pipeline/spec.h"

namespace edgeprobe::pipeline {

struct StepOf;

/// A frame that the plain pass completed.
struct Ran {
  std::size_t sample = 0;  ///< Index into the samples.
  std::uint32_t frame = 0;
  std::uint64_t time_ns = 0;
  std::uint64_t outputs = 0;  ///< fingerprint() of the plain model's outputs.
  std::uint64_t input = 0;    ///< fingerprint() of the frame's inputs.
  /// Carried states among the frame's inputs, in the order of Pipeline::states, for later passes.
  std::vector<Bytes> states = {};
  bool begins_sequence = false;
  /// The frame's inputs, for later passes; null: they are made again.
  std::shared_ptr<const std::vector<Tensor>> inputs = nullptr;
};

/// Hashes all output bytes: equal outputs have equal fingerprints.
std::uint64_t fingerprint(const std::vector<Tensor>& outputs);

/// Returns the largest relative L2 distance between outputs at the same position; 1 if they cannot
/// be compared or are not finite.
double farthest(const std::vector<Tensor>& plain, const std::vector<Tensor>& captured);
/// Engines that fuse less when intermediates are outputs round differently, up to this distance.
inline constexpr double kRounding = 1e-5;

/// Metadata record of a trace whose outputs and layers come from two computations: their distance
/// (farthest()).
inline constexpr const char *kCaptureRecord = "edgeprobe.capture", *kMovedBy = "outputs_moved_by";

/// A frame's model inputs for a further pass: kept, or prepared again. kUsage if a user's function
/// returns other values than in the plain pass: a trace with the layers of one input and the
/// outputs of another would blame the engine. kInterrupted when stopped.
Result<std::vector<Tensor>> inputs_again(Pipeline& pipeline, const dataset::Sample& sample,
                                         const Ran& ran, const Control& control);

/// Returns the tensors that a level captures in addition to inputs and outputs, in execution order.
std::vector<int> captured_tensors(const model::Graph& graph, Level level);

/// True if the layers of every frame are captured: the caller chose no frames, or the model keeps a
/// state, so that each frame needs those before it.
bool captures_every_frame(const Pipeline& pipeline, const RunOptions& options);

/// Captures these tensors in groups that fit the budget: one pass over `ran` for each group, with a
/// patched copy of the model. Counts frames whose final outputs differ from those of the plain
/// model.
Status capture_passes(Pipeline& pipeline, const std::vector<dataset::Sample>& samples,
                      const std::vector<Ran>& ran, trace::Writer& writer, const RunOptions& options,
                      RunSummary& summary, const Control& control, const StepOf& step);

}  // namespace edgeprobe::pipeline
