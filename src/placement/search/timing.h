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
  double low = 0, high = 0;  ///< 95 % of the median.
  double p10 = 0, p90 = 0;
  /// Runs that nothing took the CPU from for more than kNoisyShare of their time, nor from the run
  /// behind them; the figures above are theirs where there are at least kFewestQuiet, else those of
  /// all.
  std::size_t quiet = 0;
  std::size_t runs = 0;
  double core_seconds = 0;  ///< CPU time of one run, over all threads; 0: the kernel does not tell.

  bool operator==(const Timing&) const = default;
};
inline constexpr double kNoisyShare = 0.03;
inline constexpr std::size_t kFewestQuiet = 20;

/// What runs took, in seconds, in the order in which they were taken.
struct Latencies {
  std::vector<double> all, quiet;  ///< As Timing::runs and Timing::quiet.
  double cpu = 0;                  ///< CPU time of all of them, over all threads.

  /// More runs, one behind the other; those before `first` do not count.
  void add(const std::vector<engine::Iteration>& row, std::size_t first = 0);
  /// Those that figures are of: the quiet ones where there are enough.
  const std::vector<double>& told() const { return quiet.size() >= kFewestQuiet ? quiet : all; }
};

/// Runs until their times are steady, but for no longer than suits a measurement of so many
/// seconds. Seconds of one run.
Result<double> warm_up_for(engine::Session& session, const std::vector<Tensor>& inputs,
                           double seconds, const Control& control);

/// How long a measurement is, behind its warm-up.
struct Length {
  double seconds = 0.3;
  /// While there are fewer than kFewestQuiet quiet runs, at most so many times as long.
  double patience = 1;
};
/// Of what is told to people and decides.
inline constexpr double kPatience = 3;

/// Warms a session up and times it. Where it runs on several CPUs, in short rows that begin when
/// all of them are had. Inputs are random, of one seed; whole numbers as `feeds` allow.
Result<Timing> time_session(engine::Session& session, const std::vector<model::Feed>& feeds,
                            const std::vector<int>& cpus, const Length& length,
                            const Control& control);

/// The options of sessions on a processor: its threads, CPUs and delegate. kUsage for a delegate
/// that is none.
Result<engine::SessionOptions> options_on(const stretch::Processor& processor,
                                          const engine::SessionOptions& base);

/// The same, each run so many times as long.
Timing slowed(Timing timing, double slowdown);

/// An engine to run a model with, the options of its session, and a factor for what is only
/// imitated.
struct Runs {
  engine::EngineChoice engine;
  engine::SessionOptions options;
  double slowdown = 1;
  std::vector<int> cpus;  ///< All that it runs on.
};
/// CPUs of all processors of a plan, ascending, once each.
std::vector<int> cpus_of(const stretch::Plan& plan);
/// Of a processor as it is. kUsage for an engine or a delegate that is none.
Result<Runs> runs_on(const stretch::Processor& processor, const engine::SessionOptions& base);

/// Loads a model in a process of its own.
Result<std::unique_ptr<engine::Session>> load_model(ByteView model, const Runs& how);
/// The same, and times it.
Result<Timing> time_model(ByteView model, const Runs& how, const std::vector<model::Feed>& feeds,
                          const Length& length, const Control& control);

std::string to_json(const Timing& timing);
/// Nothing for a text that to_json() does not write.
std::optional<Timing> timing_from_json(std::string_view text);

}  // namespace edgeprobe::placement
