// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meter/reading.h"

namespace edgeprobe::meter {

/// Runnable tasks, averaged over the last 1, 5 and 15 minutes.
std::vector<Reading> load_average(const Root& root);

/// Of each CPU, in Hz: cpufreq's own reading, else what /proc/cpuinfo says (x86), which may be the
/// nominal one.
std::vector<Reading> frequency(const Root& root);

/// Memory of the machine that is in use (total - available), in percent of all.
Reading memory_used(const Root& root);

/// Time that each CPU was busy and all its time, in ticks since the start: two of them give a
/// share.
struct CpuTicks {
  std::int64_t busy = 0, all = 0;
};
/// By CPU, in the order of /proc/stat; empty where the kernel does not tell.
std::vector<CpuTicks> cpu_ticks(const Root& root);
/// Percent of the time between two readings, for each CPU that is in both; nothing for one whose
/// clock did not move.
std::vector<std::optional<double>> busy_percent(const std::vector<CpuTicks>& before,
                                                const std::vector<CpuTicks>& after);

/// What kind of machine this is: two measurements from different ones are not compared. No names of
/// hosts or users.
struct Machine {
  std::string architecture;  ///< As uname says it: "x86_64", "aarch64".
  std::string processor;     ///< "AMD EPYC", "Cortex-A76 r4p1"; "" when the kernel does not tell.
  int cpus = 0;              ///< That this process may use.
  std::uint64_t memory_bytes = 0;  ///< 0: the kernel does not tell.
  std::string kernel;              ///< "6.1.0".
};
Machine machine(const Root& root);

}  // namespace edgeprobe::meter
