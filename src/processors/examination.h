// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "processors/cpu_findings.h"
#include "processors/cpus.h"
#include "processors/dsps.h"
#include "processors/energy_sources.h"
#include "processors/finding.h"
#include "processors/gpus.h"
#include "processors/host.h"

namespace edgeprobe::processors {

/// The processors of a device, and everything that prevents using or measuring them.
struct Examination {
  Cpus cpus;
  Gpus gpus;
  Dsps dsps;
  EnergySources energy;
  std::vector<Finding> findings;  ///< Problems first, then warnings, then notes.
  std::string device;             ///< device_yaml().
};

/// kUsage if the choice contains CPUs that this process may not use.
Result<Examination> examine(const Host& host, const Choice& choice);

}  // namespace edgeprobe::processors
