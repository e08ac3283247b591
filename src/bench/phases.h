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

/// The parts of a measurement: warming up, inferences one by one, starts in new processes, layers.
namespace edgeprobe::bench {

/// Runs until the median of three windows in a row lies within 2 %; a window is as many runs as
/// fill 0.1 s, at least 5.
Result<WarmUp> warm_up(engine::Session& session, const Inputs& inputs, double limit_s,
                       const Control& control);

/// Starts the engine `count` times, each in a fresh process, and times each phase up to the first
/// answer. The files are in the page cache after the first start. Ends early, with what is done,
/// when the user asks for it.
Result<std::vector<ColdStart>> cold_starts(const Model& model,
                                           const engine::SessionOptions& options,
                                           const std::vector<Tensor>& inputs, std::size_t count,
                                           const Control& control);

/// Times each kernel with a second session that records them, in blocks that take turns with blocks
/// of the plain `session` (who goes first changes): the same minutes of the machine for both, so
/// that their ratio is what recording costs.
Result<Profile> profiled(const Model& model, const engine::SessionOptions& options,
                         engine::Session& plain, const Inputs& inputs, const Plan& plan,
                         const Control& control);

double seconds(std::chrono::nanoseconds time);

/// The tensors, borrowed.
std::vector<TensorView> views(const std::vector<Tensor>& tensors);

/// One run as an engine timed it; its start is `offset` seconds later.
Run run_of(const engine::Iteration& iteration, double offset);

}  // namespace edgeprobe::bench
