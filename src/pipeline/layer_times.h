// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/engine.h"
#include "model/graph.h"
#include "pipeline/capture.h"
#include "trace/kernel_times.h"

namespace edgeprobe::pipeline {

/// What a trace says of these kernels: the engine's words, and the operators of the layers in the
/// model file.
std::vector<trace::TimedKernel> timed_kernels(const model::Graph& graph,
                                              const std::vector<engine::OpTime>& times);

/// Runs the frames once more, each plainly and with a session that records the time of every
/// kernel, in turn, so that the cost of recording is known. Writes the times (stage kernel_time)
/// and the two median latencies (metadata "edgeprobe.layer_times"). A warning, and no times, when
/// the engine reports none.
Status layer_times_pass(Pipeline& pipeline, const std::vector<dataset::Sample>& samples,
                        const std::vector<Ran>& ran, trace::Writer& writer, RunSummary& summary,
                        const Control& control);

}  // namespace edgeprobe::pipeline
