// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meter/reading.h"

namespace edgeprobe::processors {

/// CPUs that are equally fast, as far as the kernel tells.
struct Cluster {
  std::string name;                      ///< "big", "middle", "little"; "cpu" where all are equal.
  std::vector<int> cpus;                 ///< All of them, ascending.
  std::vector<int> usable;               ///< Those that are switched on and allowed.
  std::optional<std::int64_t> capacity;  ///< Of its fastest; of the fastest of the device 1024.
  std::optional<double> max_hz;          ///< The highest frequency that the hardware has.

  bool operator==(const Cluster&) const = default;
};

/// The CPUs of a device and which of them this process has.
struct Cpus {
  std::vector<Cluster> clusters;          ///< The fastest first; empty: the kernel tells nothing.
  std::vector<int> offline;               ///< Switched off.
  std::vector<int> hidden;                ///< On, but this process may not use them.
  std::string hidden_by;                  ///< "cpuset /background"; "": its affinity.
  std::string members;                    ///< Where a group that has them takes processes.
  std::optional<double> quota;            ///< CPUs' worth of time that a cgroup allows.
  std::string quota_file;                 ///< Where that stands.
  std::vector<std::vector<int>> threads;  ///< Usable CPUs that are threads of one core.

  std::vector<int> usable() const;  ///< Of all clusters, ascending.
};

/// Read from sysfs, /proc/self/status and the cgroup's files. What is not there, or holds nonsense,
/// counts as not told: then all CPUs are equal, on and allowed.
Cpus cpus(const meter::Root& root);

/// How many of these CPUs each cluster has: "2 big + 2 middle".
std::string mixture(const Cpus& cpus, const std::vector<int>& chosen);
/// The clusters with CPUs among the chosen, the fastest first.
std::vector<Cluster> clusters_of(const Cpus& cpus, const std::vector<int>& chosen);

/// The whole number in a file, when it is above 0: a capacity, a frequency or a state of 0 says
/// nothing.
inline std::optional<std::int64_t> positive(const meter::Root& root, const std::string& inside) {
  const auto text = meter::read_text(root / inside);
  const auto value = text ? meter::whole_number(*text) : std::nullopt;
  return value && *value > 0 ? value : std::nullopt;
}

}  // namespace edgeprobe::processors
