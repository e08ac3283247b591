// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bench/plan.h"
#include "core/bytes.h"
#include "core/control.h"
#include "core/result.h"
#include "engine/engine.h"
#include "meter/net_energy.h"
#include "placement/search/exactness.h"

/// The cost of a model on this machine: time, processors, energy, and the deviation of its outputs
/// from the reference.
namespace edgeprobe::placement {

struct ProfileOptions {
  double seconds = 1;         ///< Duration of each measurement, after its warm-up.
  std::size_t processes = 1;  ///< Number of processes; the fastest counts.
  meter::EnergyPlan energy;
};

/// A model and its settings.
struct Profiled {
  ByteView file;
  std::string label, format;
  engine::EngineChoice engine;
  engine::SessionOptions options;
  /// The engine of the format with one thread.
  engine::EngineChoice reference;
  engine::SessionOptions reference_options;
  bench::InputMaker inputs;
  /// Time all inputs, not only the first: they are representative of real use.
  bool real_inputs = false;
};

/// Times in seconds.
struct Figures {
  std::size_t runs = 0;
  /// As Timing::quiet; if fewer than kFewestQuiet, the figures are for all runs.
  std::size_t quiet = 0;
  double median = 0, min = 0, p10 = 0, p90 = 0, p99 = 0;
  std::optional<double> cpu;  ///< CPU time of one run, over all threads.
  meter::NetEnergy energy;
  std::optional<Difference> difference;
  std::string no_difference;  ///< Why the difference is missing.
  /// The engine's warnings about the session, e.g. a delegate that took no operators.
  std::vector<std::string> warnings;
};

/// Runs the model in processes of its own. Fails if it does not load, crashes or exceeds a time
/// limit of its options; a failing reference only leaves the difference unset.
Result<Figures> profile(const Profiled& model, const ProfileOptions& options,
                        const Control& control);

}  // namespace edgeprobe::placement
