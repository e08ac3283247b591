// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meter/reading.h"

namespace edgeprobe::meter {

/// Runnable tasks, averaged over the last 1, 5 and 15 minutes.
std::vector<Reading> load_average(const Root& root);

/// For each CPU, in Hz: cpufreq's value, or else the one in /proc/cpuinfo (x86), which may be
/// nominal.
std::vector<Reading> frequency(const Root& root);

/// Memory in use on the machine (total - available), in percent of the total.
Reading memory_used(const Root& root);

/// Busy and total time of a CPU in ticks since boot. Two samples give the busy share between them.
struct CpuTicks {
  std::int64_t busy = 0, all = 0;
};
/// By CPU, in the order of /proc/stat; empty if the kernel does not report it.
std::vector<CpuTicks> cpu_ticks(const Root& root);
/// Busy time in percent between two samples, for each CPU in both; empty for a CPU without elapsed
/// ticks.
std::vector<std::optional<double>> busy_percent(const std::vector<CpuTicks>& before,
                                                const std::vector<CpuTicks>& after);

/// Kind of machine: measurements from different kinds are not compared. Contains no host or user
/// names.
struct Machine {
  std::string architecture;  ///< From uname: "x86_64", "aarch64".
  /// "AMD EPYC", "Cortex-A76 r4p1"; "" if the kernel does not report it.
  std::string processor;
  int cpus = 0;                    ///< CPUs available to this process.
  std::uint64_t memory_bytes = 0;  ///< 0: unknown.
  std::string kernel;              ///< "6.1.0".
};
Machine machine(const Root& root);

}  // namespace edgeprobe::meter
