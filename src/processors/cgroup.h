// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meter/reading.h"

namespace edgeprobe::processors {

/// Limits of this process's control groups.
struct Cgroup {
  std::string name;                      ///< "/background", the group that sets the CPUs.
  std::optional<std::vector<int>> cpus;  ///< Empty: unknown.
  /// Writing a process id to this file moves the process into the group that has all CPUs.
  std::string members;
  /// CPU time in numbers of CPUs, the lowest limit of the group and its ancestors; empty: no limit,
  /// or unknown.
  std::optional<double> quota;
  std::string quota_file;  ///< "/sys/fs/cgroup/x/cpu.max".
};

/// Reads control groups of version 1 or 2, and Android's /dev/cpuset.
Cgroup cgroup(const meter::Root& root);

}  // namespace edgeprobe::processors
