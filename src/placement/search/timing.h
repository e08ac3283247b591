// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/control.h"
#include "core/result.h"
#include "engine/engine.h"
#include "model/feeds.h"
#include "stretch/plan.h"

namespace edgeprobe::placement {

/// Latencies of one process, in seconds.
struct Timing {
  double median = 0;
  double low = 0, high = 0;  ///< 95 % interval of the median.
  double p10 = 0, p90 = 0;
  /// Number of quiet runs: they lost the CPU for no more than kNoisyShare of their time, as did the
  /// run after each. The figures above are of the quiet runs if there are at least
  /// kFewestOfProcess, else of all runs.
  std::size_t quiet = 0;
  std::size_t runs = 0;
  double core_seconds = 0;  ///< CPU time of one run, over all threads; 0: unknown to the kernel.

  bool operator==(const Timing&) const = default;
};
inline constexpr double kNoisyShare = 0.03;
inline constexpr std::size_t kFewestQuiet = 20;
/// Quiet runs without which a process shows nothing.
inline constexpr std::size_t kFewestOfProcess = 5;

/// Durations of runs, in seconds, in measurement order.
struct Latencies {
  std::vector<double> all, quiet;  ///< As Timing::runs and Timing::quiet.
  double cpu = 0;                  ///< CPU time of all runs, over all threads.

  /// Adds consecutive runs; those before `first` do not count.
  void add(const std::vector<engine::Iteration>& row, std::size_t first = 0);
  /// The runs that figures are based on: the quiet ones if there are enough.
  const std::vector<double>& told(std::size_t fewest = kFewestQuiet) const {
    return quiet.size() >= fewest ? quiet : all;
  }
};

/// Runs until times are stable, within a limit that suits a measurement of `seconds`. Returns the
/// seconds of one run.
Result<double> warm_up_for(engine::Session& session, const std::vector<Tensor>& inputs,
                           double seconds, const Control& control);

/// Duration of a measurement, after its warm-up.
struct Length {
  double seconds = 0.3;
  /// With fewer than kFewestQuiet quiet runs, extends the measurement by at most this factor. Above
  /// 1, a model whose runs are too long for that gets a few runs more.
  double patience = 1;
};
/// Length::patience for results that are reported or that decide.
inline constexpr double kPatience = 3;

/// Warms a session up and times it; on several CPUs, in short sequences that begin when all of them
/// are free. Inputs are random with a fixed seed; integers within the range of `feeds`.
Result<Timing> time_session(engine::Session& session, const std::vector<model::Feed>& feeds,
                            const std::vector<int>& cpus, const Length& length,
                            const Control& control);
/// The same with given inputs.
Result<Timing> time_session(engine::Session& session, const std::vector<Tensor>& inputs,
                            const std::vector<int>& cpus, const Length& length,
                            const Control& control);

/// Session options for a processor: its threads, CPUs and delegate. kUsage for an invalid delegate.
Result<engine::SessionOptions> options_on(const stretch::Processor& processor,
                                          const engine::SessionOptions& base);

/// Same timing with each run slowed by this factor.
Timing slowed(Timing timing, double slowdown);

/// An engine for a model, its session options, and a factor for an emulated slowdown.
struct Runs {
  engine::EngineChoice engine;
  engine::SessionOptions options;
  double slowdown = 1;
  std::vector<int> cpus;            ///< All CPUs that the engine uses.
  std::vector<Tensor> inputs = {};  ///< Of timed runs; empty: random ones.
};
/// CPUs of all processors of a plan, ascending, without duplicates.
std::vector<int> cpus_of(const stretch::Plan& plan);
/// How a processor runs a model that is not divided. kUsage for an invalid engine or delegate.
Result<Runs> runs_on(const stretch::Processor& processor, const engine::SessionOptions& base);

/// Switches to another way of the engine to compute the same, for its own noise: ONNX Runtime
/// without optimisations, TFLite's own kernels. False if it has none.
bool take_other_way(Runs& how);

/// Loads a model in a process of its own.
Result<std::unique_ptr<engine::Session>> load_model(ByteView model, const Runs& how);
/// Loads a model in a process of its own and times it.
Result<Timing> time_model(ByteView model, const Runs& how, const std::vector<model::Feed>& feeds,
                          const Length& length, const Control& control);

std::string to_json(const Timing& timing);
/// Empty for a text that to_json() does not write.
std::optional<Timing> timing_from_json(std::string_view text);

}  // namespace edgeprobe::placement
