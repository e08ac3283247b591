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

/// Reports if the choice mixes fast and slow CPUs, with lists that do not.
std::vector<Finding> mixture_findings(const Cpus& cpus, const Choice& choice);

/// The device as a file for `stretch search --device`: for each cluster, up to two CPUs for pieces,
/// and all CPUs together for the whole model. "" if there is only one cluster.
std::string device_yaml(const Cpus& cpus);

/// Reports effects on the CPUs' clock rate during a measurement, and whether waits for a CPU can be
/// detected: governors, limits, throttling, the kernel's schedstat.
std::vector<Finding> clock_findings(const Host& host, const Cpus& cpus);

}  // namespace edgeprobe::processors
