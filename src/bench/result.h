// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/layer_times.h"
#include "engine/engine.h"
#include "meter/machine.h"
#include "meter/read_all.h"
#include "stats/summary.h"

/// Results of a benchmark: plain values. Times in seconds.
namespace edgeprobe::bench {

/// The names are those of MLPerf LoadGen. kSingleStream: the next inference starts when the last
/// one has finished; its latencies count. kOffline: all inferences are available at once; the
/// samples per second count.
enum class Scenario { kSingleStream, kOffline };
const char* name(Scenario scenario);
std::optional<Scenario> scenario_from_name(std::string_view text);

struct Run {
  double start = 0;    ///< Seconds since the start of the configuration's measurement.
  double latency = 0;  ///< Latency of the engine's invoke.
  /// Summed over the engine's threads; empty if the operating system does not report it.
  std::optional<double> run_delay;
  std::optional<double> cpu;
  /// No other load took the CPU from the engine for longer than the stated share.
  bool quiet = true;
};

struct WarmUp {
  std::size_t runs = 0;
  double seconds = 0;
  bool stable = false;
  std::string criterion;  ///< The rule by which the warm-up ended, with its numbers.
};

/// State of the machine at one moment, between two inferences.
struct Moment {
  double at = 0;  ///< Seconds since the start of the configuration's measurement.
  std::optional<double> memory_percent;
  std::vector<std::optional<double>> cpu_percent;  ///< Use of each CPU since the previous moment.
  std::vector<meter::Reading> readings;            ///< Load, frequency, temperature, power.
};

/// Times of one start in a fresh process.
struct ColdStart {
  double process = 0;  ///< Time to start the engine's process.
  /// Time to open the library, without edgeprobe's own SHA-256 of it.
  double open = 0;
  double load = 0;   ///< Time to load the model, from the caller's view.
  double first = 0;  ///< The first inference, from the caller's view.
  double total() const { return process + open + load + first; }
};

/// The cost of recording kernel times, and the recorded times.
struct Profile {
  std::size_t pairs = 0;  ///< Number of pairs of plain and profiled blocks, run in turn.
  std::size_t runs_a_block = 0;
  stats::Quantile ratio;           ///< Median over the pairs of (median profiled / median plain).
  double plain = 0, profiled = 0;  ///< Medians over all runs.
  /// From the quiet profiled runs if enough are known to be quiet; if not, from all.
  LayerTimes times;
  std::size_t left_out = 0;  ///< Number of noisy runs left out of `times`.
  /// The profiled runs; their start is relative to the beginning of the profile.
  std::vector<Run> runs;
  /// Some of the runs in full, for an event trace.
  std::vector<std::vector<engine::OpTime>> first_runs;
};

struct Offline {
  std::size_t samples = 0;  ///< Number of inferences times batch size, over all streams.
  double seconds = 0;
  double samples_per_second = 0;
};

/// One point of the sweep.
struct Configuration {
  std::string name;  ///< "threads=2 cpus=0,1".
  int threads = 1;
  std::vector<int> cpus;
  int batch = 1;
  int streams = 1;
  Scenario scenario = Scenario::kSingleStream;
  WarmUp warm_up;
  std::vector<Run> runs;
  /// Latencies; `quiet` is empty if the run delay is unknown or meaningless here.
  std::optional<stats::Summary> all, quiet;
  std::string no_quiet;  ///< Why `quiet` is empty.
  std::optional<Offline> offline;
  engine::MemoryUse memory;
  std::optional<Profile> profile;
  std::vector<ColdStart> cold;
  std::vector<Moment> moments;  ///< The first is before, the last after the measurement.
  std::vector<engine::Delegation> delegations;
  std::vector<std::string> warnings;
  bool stopped = false;  ///< The user interrupted it; these results are partial.
};

struct Subject {
  std::string model;  ///< File name without its folder.
  std::string sha256;
  std::size_t file_size = 0;
  std::string format;
  engine::EngineIdentity engine;
  std::string kernels;
  std::string options;  ///< Other engine settings, in words.
  std::string inputs;   ///< "random, seed 1" or "12 samples".
};

struct Results {
  Subject subject;
  meter::Machine machine;
  /// Runs with a run delay above this share of their latency are not quiet.
  double noisy_share = 0.05;
  std::vector<Configuration> configurations;
  bool stopped = false;
};

}  // namespace edgeprobe::bench
