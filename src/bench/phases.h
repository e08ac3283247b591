// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <vector>

#include "bench/load.h"
#include "bench/plan.h"
#include "bench/result.h"
#include "core/control.h"
#include "core/result.h"
#include "core/tensor.h"
#include "engine/engine.h"

/// The phases of a measurement: warm-up, single inferences, starts in new processes, layers.
namespace edgeprobe::bench {

/// Runs until the medians of three successive windows agree within 2 %; a window is as many runs as
/// fill 0.1 s, at least 5.
Result<WarmUp> warm_up(engine::Session& session, const Inputs& inputs, double limit_s,
                       const Control& control);

/// Starts the engine `count` times, each in a fresh process, and times each phase up to the first
/// answer. The files are in the page cache after the first start. If the user interrupts, returns
/// the starts made so far.
Result<std::vector<ColdStart>> cold_starts(const Model& model,
                                           const engine::SessionOptions& options,
                                           const std::vector<Tensor>& inputs, std::size_t count,
                                           const Control& control);

/// Times each kernel with a second session that records them, in blocks that alternate with blocks
/// of the plain `session` (in changing order): both see the same state of the machine, so that
/// their ratio is the cost of recording.
Result<Profile> profiled(const Model& model, const engine::SessionOptions& options,
                         engine::Session& plain, const Inputs& inputs, const Plan& plan,
                         const Control& control);

double seconds(std::chrono::nanoseconds time);

/// Borrowed views of the tensors.
std::vector<TensorView> views(const std::vector<Tensor>& tensors);

/// One run with the engine's timing; its start is shifted by `offset` seconds.
Run run_of(const engine::Iteration& iteration, double offset);

}  // namespace edgeprobe::bench
