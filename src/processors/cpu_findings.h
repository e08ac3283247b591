// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "processors/cpus.h"
#include "processors/finding.h"
#include "processors/host.h"

namespace edgeprobe::processors {

/// The planned settings of the engine; all are optional.
struct Choice {
  std::vector<int> cpus;  ///< Ascending; empty: all that this process may use.
  int threads = 0;        ///< Threads of the engine; 0: not given.
};

/// Finds CPUs that are offline, hidden, limited in time, or threads of one core.
std::vector<Finding> cpu_findings(const Host& host, const Cpus& cpus);

/// Reports a choice that mixes fast and slow CPUs, and lists CPUs of equal speed instead.
std::vector<Finding> mixture_findings(const Cpus& cpus, const Choice& choice);

/// The device as a file for `stretch search --device`: for each cluster, up to two CPUs for pieces,
/// and all CPUs together for the whole model. "" if there is only one cluster.
std::string device_yaml(const Cpus& cpus);

/// Reports what changes the CPUs' clock rate during a measurement (governors, limits, throttling),
/// and whether the kernel's schedstat shows waits for a CPU.
std::vector<Finding> clock_findings(const Host& host, const Cpus& cpus);

}  // namespace edgeprobe::processors
