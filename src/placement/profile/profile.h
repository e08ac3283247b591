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

/// What one model takes on this machine: time, processors, energy, and how far its outputs are from
/// those of the reference.
namespace edgeprobe::placement {

struct ProfileOptions {
  double seconds = 1;         ///< Of each measurement, behind its warm-up.
  std::size_t processes = 1;  ///< The fastest one counts.
  meter::EnergyPlan energy;
};

/// A model, and how it is run.
struct Profiled {
  ByteView file;
  std::string label, format;
  engine::EngineChoice engine;
  engine::SessionOptions options;
  /// The engine of the format with one thread.
  engine::EngineChoice reference;
  engine::SessionOptions reference_options;
  bench::InputMaker inputs;
  /// All inputs take part in the timing, and not the first alone: they are what the model is for.
  bool real_inputs = false;
};

/// Times in seconds.
struct Figures {
  std::size_t runs = 0;
  std::size_t quiet = 0;  ///< As Timing::quiet; of fewer than kFewestQuiet figures are of all runs.
  double median = 0, min = 0, p10 = 0, p90 = 0, p99 = 0;
  std::optional<double> cpu;  ///< CPU time of one run, over all threads.
  meter::NetEnergy energy;
  std::optional<Difference> difference;
  std::string no_difference;  ///< Why there is none.
  /// What the engine says of the session: a delegate that took nothing.
  std::vector<std::string> warnings;
};

/// Runs it in processes of its own. Fails where it does not load, crashes or passes a time limit of
/// its options; a reference that does so only leaves no difference.
Result<Figures> profile(const Profiled& model, const ProfileOptions& options,
                        const Control& control);

}  // namespace edgeprobe::placement
