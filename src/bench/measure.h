// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "bench/load.h"
#include "bench/result.h"
#include "core/control.h"

namespace edgeprobe::bench {

struct Plan {
  std::optional<std::size_t> runs;  ///< That many inferences; else for `duration`.
  double duration = 5;              ///< Seconds.
  double warm_up_limit = 10;        ///< Seconds.
  double noisy_share = 0.05;
  Scenario scenario = Scenario::kSingleStream;
  /// Sessions at once, each in a process of its own (offline).
  int streams = 1;
  int batch = 1;  ///< Samples in one inference.
  bool layers = false;
  std::size_t cold = 0;  ///< Fresh processes.
};

/// The inputs of one inference; a configuration goes round them.
using Inputs = std::vector<std::vector<Tensor>>;
/// Makes them for the specs of a session.
using InputMaker = std::function<Result<Inputs>(const std::vector<TensorSpec>&)>;

/// Runs until the median of three windows in a row lies within 2 %; a window is as many runs as
/// fill 0.1 s, at least 5.
Result<WarmUp> warm_up(engine::Session& session, const Inputs& inputs, double limit_s,
                       const Control& control);

/// Measures one point of the sweep in a fresh engine process: warm-up, the scenario, then layers
/// and cold starts where they were asked for. Interrupted after the first timed run, it gives what
/// is there, with `stopped`.
Result<Configuration> measure(const Model& model, const engine::SessionOptions& options,
                              const Plan& plan, const InputMaker& inputs, const Control& control,
                              engine::EngineIdentity& identity);

/// Marks the runs whose run delay is above `noisy_share` of their latency, and sums up all and the
/// quiet ones. `own_competition`: the engine has more threads than CPUs, so that they wait for each
/// other: then there is no `quiet`.
void sum_up(Configuration& configuration, double noisy_share, const std::string& no_scheduling,
            bool own_competition);

}  // namespace edgeprobe::bench
