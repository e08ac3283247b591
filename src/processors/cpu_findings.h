// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "processors/cpus.h"
#include "processors/finding.h"
#include "processors/host.h"

namespace edgeprobe::processors {

/// What the engine will be given; nothing of it has to be known.
struct Choice {
  std::vector<int> cpus;  ///< Ascending; empty: all that this process may use.
  int threads = 0;        ///< Of the engine; 0: not said.
};

/// CPUs that are off, hidden, limited in time or threads of one core.
std::vector<Finding> cpu_findings(const Host& host, const Cpus& cpus);

/// Whether the choice mixes fast and slow CPUs, and the lists that do not.
std::vector<Finding> mixture_findings(const Cpus& cpus, const Choice& choice);

/// The device as a file for `stretch search --device`: of each cluster up to two CPUs for pieces,
/// and all of it together for the whole model. "" where there is one cluster.
std::string device_yaml(const Cpus& cpus);

/// What changes the clock rate of CPUs during a measurement, and whether waiting for a CPU can be
/// told: governors, limits, throttling, the kernel's schedstat.
std::vector<Finding> clock_findings(const Host& host, const Cpus& cpus);

}  // namespace edgeprobe::processors
