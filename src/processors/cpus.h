// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meter/reading.h"

namespace edgeprobe::processors {

/// CPUs of equal speed, as far as the kernel reports.
struct Cluster {
  std::string name;         ///< "big", "middle", "little"; "cpu" where all are equal.
  std::vector<int> cpus;    ///< All its CPUs, ascending.
  std::vector<int> usable;  ///< Those that are online and allowed.
  /// Capacity of its fastest CPU; the device's fastest CPU has 1024.
  std::optional<std::int64_t> capacity;
  std::optional<double> max_hz;  ///< The hardware's maximum frequency.

  bool operator==(const Cluster&) const = default;
};

/// The CPUs of a device and those available to this process.
struct Cpus {
  std::vector<Cluster> clusters;  ///< The fastest first; empty: the kernel reports nothing.
  std::vector<int> offline;       ///< Switched off.
  std::vector<int> hidden;        ///< Online, but not available to this process.
  std::string hidden_by;          ///< The reason: "cpuset /background"; "": its affinity.
  /// Writing a process id to this file moves the process into a group with these CPUs.
  std::string members;
  std::optional<double> quota;            ///< CPU time allowed by a cgroup, in numbers of CPUs.
  std::string quota_file;                 ///< The file with that limit.
  std::vector<std::vector<int>> threads;  ///< Usable CPUs that are threads of one core.

  std::vector<int> usable() const;  ///< The usable CPUs of all clusters, ascending.
};

/// Reads sysfs, /proc/self/status and the cgroup's files. Missing or invalid values count as
/// unknown: then all CPUs are equal, online and allowed.
Cpus cpus(const meter::Root& root);

/// Number of these CPUs in each cluster: "2 big + 2 middle".
std::string mixture(const Cpus& cpus, const std::vector<int>& chosen);
/// The clusters of the chosen CPUs, the fastest first.
std::vector<Cluster> clusters_of(const Cpus& cpus, const std::vector<int>& chosen);

/// The integer in a file if it is above 0. For a capacity, a frequency or a state, 0 means unknown.
inline std::optional<std::int64_t> positive(const meter::Root& root, const std::string& inside) {
  const auto text = meter::read_text(root / inside);
  const auto value = text ? meter::whole_number(*text) : std::nullopt;
  return value && *value > 0 ? value : std::nullopt;
}

}  // namespace edgeprobe::processors
