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

/// What a benchmark measured: plain values. Times in seconds.
namespace edgeprobe::bench {

/// What MLPerf LoadGen calls so: the next inference starts when the last one ended (its latencies
/// count), or all of them are there at once (its samples a second count).
enum class Scenario { kSingleStream, kOffline };
const char* name(Scenario scenario);
std::optional<Scenario> scenario_from_name(std::string_view text);

struct Run {
  double start = 0;    ///< Since the configuration's measurement began.
  double latency = 0;  ///< Of the engine's invoke.
  /// Summed over the engine's threads; nothing where the kernel does not tell.
  std::optional<double> run_delay;
  std::optional<double> cpu;
  /// Nothing took the CPU away from the engine for longer than the stated share.
  bool quiet = true;
};

struct WarmUp {
  std::size_t runs = 0;
  double seconds = 0;
  bool stable = false;
  std::string criterion;  ///< In words, with its numbers.
};

/// The machine at one moment, between two inferences.
struct Moment {
  double at = 0;  ///< Since the configuration's measurement began.
  std::optional<double> memory_percent;
  std::vector<std::optional<double>> cpu_percent;  ///< Of each CPU since the moment before.
  std::vector<meter::Reading> readings;            ///< Load, frequency, temperature, power.
};

/// One fresh process.
struct ColdStart {
  double process = 0;  ///< To start the engine's process.
  /// To open the library; what edgeprobe spends there on its SHA-256 is taken out.
  double open = 0;
  double load = 0;   ///< To load the model, as the caller waits for it.
  double first = 0;  ///< The first inference, as the caller waits for it.
  double total() const { return process + open + load + first; }
};

/// What recording the time of each kernel costs, and what it gave.
struct Profile {
  std::size_t pairs = 0;  ///< Blocks of plain and of profiled runs, taken in turns.
  std::size_t runs_a_block = 0;
  stats::Quantile ratio;           ///< Median over the pairs of (median profiled / median plain).
  double plain = 0, profiled = 0;  ///< Medians over all runs.
  /// Of the quiet profiled runs, where there are enough that are known to be; else of all.
  LayerTimes times;
  std::size_t left_out = 0;  ///< Noisy runs that are not in `times`.
  /// The profiled ones; their start counts from the profile's own beginning.
  std::vector<Run> runs;
  /// Some of them in full, for a trace of events.
  std::vector<std::vector<engine::OpTime>> first_runs;
};

struct Offline {
  std::size_t samples = 0;  ///< Inferences times batch, over all streams.
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
  /// Latencies; `quiet` is nothing when the run delay is not known or says nothing here.
  std::optional<stats::Summary> all, quiet;
  std::string no_quiet;  ///< Why not.
  std::optional<Offline> offline;
  engine::MemoryUse memory;
  std::optional<Profile> profile;
  std::vector<ColdStart> cold;
  std::vector<Moment> moments;  ///< The first is before, the last after the measurement.
  std::vector<engine::Delegation> delegations;
  std::vector<std::string> warnings;
  bool stopped = false;  ///< The user ended it early; what is here was measured.
};

struct Subject {
  std::string model;  ///< File name without its folder.
  std::string sha256;
  std::size_t file_size = 0;
  std::string format;
  engine::EngineIdentity engine;
  std::string kernels;
  std::string options;  ///< What else was asked of the engine, in words.
  std::string inputs;   ///< "random, seed 1" or "12 samples".
};

struct Results {
  Subject subject;
  meter::Machine machine;
  /// Runs whose run delay is above this share of their latency are not quiet.
  double noisy_share = 0.05;
  std::vector<Configuration> configurations;
  bool stopped = false;
};

}  // namespace edgeprobe::bench
