// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "placement/search/timing.h"

/// Which answers the timings of several processes support.
namespace edgeprobe::placement {

/// A way to run a model counts with kFewestQuiet quiet runs in this many processes. A process
/// counts if it has kFewestOfProcess quiet runs and did not wait unseen.
inline constexpr std::size_t kFewestProcesses = 3;
/// A thread pool near other ways needs more: its speed depends on the process, and a few may all
/// show the rare mode.
inline constexpr std::size_t kFewestOfPool = 8;
/// With this number of processes, a way's usual mode is known: that of two thirds of them.
inline constexpr std::size_t kFewestOfUsual = 12;
/// A median above this multiple of the CPU time was waiting: for a CPU that the hypervisor took
/// away, for example, which the kernel does not report as a wait. The CPU time over all threads is
/// at least that of the longest path, whatever the number of processors.
inline constexpr double kMostWaiting = 1.5;
/// A division that cannot be faster than the best plain option by more than this is not worth its
/// plan.
inline constexpr double kWorthBranching = 0.08;

/// One way to run a model, by its timings.
struct Way {
  bool is_plain = false;
  bool is_pool = false;  ///< Several threads compute each layer.
  /// Threads that compute; 0 if the CPU time does not limit the latency (a delegate, an emulated
  /// slowdown).
  std::size_t threads = 1;
  std::vector<Timing> processes;  ///< Empty: excluded.
};

/// Processes of a way with about the same speed.
struct Mode {
  double seconds = 0;  ///< Median over their medians.
  std::size_t processes = 0;

  bool operator==(const Mode&) const = default;
};

/// A way over its processes: a user starts one of them.
struct Evidence {
  double median = 0;  ///< Over the medians of the processes that count; of all if none counts.
  /// Interval of that median; empty without evidence. From six processes on it covers 95 % by order
  /// statistics of the processes' own intervals; with fewer, it covers all of these.
  std::optional<double> low, high;
  /// Between which the usual process is: a third of kFewestOfUsual processes or more is outside on
  /// each side; the interval if there are fewer.
  double usual_low = 0, usual_high = 0;
  double p10 = 0, p90 = 0, core_seconds = 0;  ///< Medians over the same processes.
  std::size_t quiet_processes = 0, processes = 0;
  std::size_t quiet = 0, runs = 0;  ///< Runs over all processes.
  std::vector<Mode> modes;          ///< The fastest first; one if processes hardly differ.

  bool operator==(const Evidence&) const = default;
  bool is_enough() const { return low.has_value(); }
};
/// Empty for a way without processes.
std::optional<Evidence> evidence_of(const Way& way);

/// True if a user who starts a process cannot know its mode: fewer than three quarters have the
/// usual one.
bool has_modes(const Evidence& evidence);
/// "0.65 ms in 2 of 7 processes and 1.1 ms in 5 of 7"; without modes "1.1 ms".
std::string modes_text(const Evidence& evidence);

/// Which question the timings answer.
struct Verdict {
  enum class Kind { kBranch, kDoNotBranch, kUndecided };
  Kind kind = Kind::kUndecided;
  /// The best plain option and the best division, with evidence if any has it; empty without one.
  std::optional<std::size_t> plain, division;
  /// Ways without enough evidence that may be the fastest: the reason for kUndecided unless empty.
  std::vector<std::size_t> lacking;
  /// More processes of these ways may change the answer.
  std::vector<std::size_t> open;
};

/// kBranch: the interval of the best division is below those of all plain options. kDoNotBranch: no
/// division is usually faster than the best plain option by more than kWorthBranching. Both need
/// evidence of every way that they rest on; ways whose CPU time shows that they cannot be the
/// fastest need none.
Verdict judge(const std::vector<Way>& ways);

/// Processes that a way needs for an answer next to the others.
std::size_t fewest_processes(const std::vector<Way>& ways, std::size_t index);

}  // namespace edgeprobe::placement
