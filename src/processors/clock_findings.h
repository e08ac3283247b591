// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "processors/cpus.h"
#include "processors/finding.h"
#include "processors/host.h"

namespace edgeprobe::processors {

/// What changes the clock rate of CPUs during a measurement, and whether waiting for a CPU can be
/// told: governors, limits, throttling, the kernel's schedstat.
std::vector<Finding> clock_findings(const Host& host, const Cpus& cpus);

}  // namespace edgeprobe::processors
