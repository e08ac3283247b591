// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bench/load.h"
#include "bench/plan.h"
#include "bench/result.h"
#include "core/control.h"

namespace edgeprobe::bench {

/// Measures one point of the sweep in a fresh engine process: warm-up, the scenario, then layers
/// and cold starts if requested. If interrupted after the first timed run, returns the partial
/// results, with `stopped`.
Result<Configuration> measure(const Model& model, const engine::SessionOptions& options,
                              const Plan& plan, const InputMaker& inputs, const Control& control,
                              engine::EngineIdentity& identity);

/// Marks runs with a run delay above `noisy_share` of their latency as noisy, and summarises all
/// runs and the quiet ones. `own_competition`: the engine has more threads than CPUs, so its
/// threads delay each other; then `quiet` is empty.
void sum_up(Configuration& configuration, double noisy_share, const std::string& no_scheduling,
            bool own_competition);

}  // namespace edgeprobe::bench
