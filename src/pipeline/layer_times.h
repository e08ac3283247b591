// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/engine.h"
#include "model/graph.h"
#include "pipeline/capture.h"
#include "trace/kernel_times.h"

namespace edgeprobe::pipeline {

/// Describes these kernels for a trace: the engine's names, and the operators of the layers in the
/// model file.
std::vector<trace::TimedKernel> timed_kernels(const model::Graph& graph,
                                              const std::vector<engine::OpTime>& times);

/// Runs the frames again, alternating a plain session with one that records the time of every
/// kernel, so that the cost of recording is known. Writes the times (stage kernel_time) and the two
/// median latencies (metadata "edgeprobe.layer_times"). Adds a warning and writes no times if the
/// engine reports none.
Status layer_times_pass(Pipeline& pipeline, const std::vector<dataset::Sample>& samples,
                        const std::vector<Ran>& ran, trace::Writer& writer, RunSummary& summary,
                        const Control& control);

}  // namespace edgeprobe::pipeline
