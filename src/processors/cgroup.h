// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meter/reading.h"

namespace edgeprobe::processors {

/// What the control groups of this process allow it.
struct Cgroup {
  std::string name;                      ///< "/background", of the group that sets the CPUs.
  std::optional<std::vector<int>> cpus;  ///< Nothing: not told.
  std::string members;                   ///< The file of the group of all CPUs that takes members.
  /// CPUs' worth of time, of the group or of one that it is in; nothing: no limit, or not told.
  std::optional<double> quota;
  std::string quota_file;  ///< "/sys/fs/cgroup/x/cpu.max".
};

/// Of either version, and Android's /dev/cpuset.
Cgroup cgroup(const meter::Root& root);

}  // namespace edgeprobe::processors
