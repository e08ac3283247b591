// SPDX-License-Identifier: Apache-2.0
#include "processors/cpus.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "core/cpu_list.h"
#include "core/text.h"
#include "processors/cgroup.h"

namespace edgeprobe::processors {
namespace {

using meter::Root;
const std::string kFolder = "sys/devices/system/cpu";

/// CPUs of one cluster may differ by this share: x86 kernels rank equal cores by manufacturing
/// quality.
constexpr double kSameCapacity = 0.95, kSameFrequency = 0.9;

struct Cpu {
  int number = 0;
  std::optional<std::int64_t> capacity;
  std::optional<double> max_hz;
  bool is_atom = false;  ///< An efficient core of a hybrid x86 processor.
};

std::optional<std::vector<int>> list_in(const Root& root, const std::string& inside) {
  const auto text = meter::read_text(root / inside);
  if (!text) return std::nullopt;
  return cpu_list_from_text(*text);
}

std::set<int> set_of(const std::vector<int>& cpus) { return {cpus.begin(), cpus.end()}; }

/// The CPUs of a list, or `other` if it is empty or unknown.
std::set<int> set_or(const std::optional<std::vector<int>>& list, const std::vector<int>& other) {
  return list && !list->empty() ? set_of(*list) : set_of(other);
}

std::vector<int> numbers(const Root& root) {
  std::set<int> found;
  if (const auto names = meter::entries(root / kFolder))
    for (const std::string& name : *names)
      if (name.starts_with("cpu"))
        if (const auto list = cpu_list_from_text(name.substr(3)); list && list->size() == 1)
          found.insert(list->front());
  if (found.empty())
    for (const char* const file : {"present", "online"})
      if (const auto list = list_in(root, kFolder + "/" + file))
        found.insert(list->begin(), list->end());
  return {found.begin(), found.end()};
}

Cpu read_cpu(const Root& root, int number, const std::set<int>& atoms) {
  const std::string folder = kFolder + "/cpu" + std::to_string(number);
  Cpu cpu{number, positive(root, folder + "/cpu_capacity"), std::nullopt, atoms.count(number) > 0};
  if (const auto khz = positive(root, folder + "/cpufreq/cpuinfo_max_freq"))
    cpu.max_hz = static_cast<double>(*khz) * 1e3;
  return cpu;
}

bool near(double slower, double faster, double share) { return slower >= share * faster; }

/// True if a CPU that is no faster than the first of a cluster belongs to it.
bool is_equal(const Cpu& first, const Cpu& cpu) {
  if (first.is_atom != cpu.is_atom) return false;
  if (first.capacity && cpu.capacity)
    return near(static_cast<double>(*cpu.capacity), static_cast<double>(*first.capacity),
                kSameCapacity);
  if (first.capacity || cpu.capacity) return false;
  if (first.max_hz && cpu.max_hz) return near(*cpu.max_hz, *first.max_hz, kSameFrequency);
  return first.max_hz.has_value() == cpu.max_hz.has_value();
}

void name_clusters(std::vector<Cluster>& clusters) {
  const std::size_t count = clusters.size();
  for (std::size_t i = 0; i < count; ++i)
    clusters[i].name = count == 1       ? "cpu"
                       : i == 0         ? "big"
                       : i == count - 1 ? "little"
                       : count == 3     ? "middle"
                                        : "middle " + std::to_string(i);
}

std::vector<Cluster> grouped(std::vector<Cpu> all) {
  std::stable_sort(all.begin(), all.end(), [](const Cpu& a, const Cpu& b) {
    return std::tuple(a.is_atom, -a.capacity.value_or(0), -a.max_hz.value_or(0), a.number) <
           std::tuple(b.is_atom, -b.capacity.value_or(0), -b.max_hz.value_or(0), b.number);
  });
  std::vector<Cluster> clusters;
  const Cpu* first = nullptr;
  for (const Cpu& cpu : all) {
    if (!first || !is_equal(*first, cpu)) {
      first = &cpu;
      clusters.push_back({{}, {}, {}, cpu.capacity, cpu.max_hz});
    }
    clusters.back().cpus.push_back(cpu.number);
  }
  for (Cluster& cluster : clusters) std::sort(cluster.cpus.begin(), cluster.cpus.end());
  name_clusters(clusters);
  return clusters;
}

/// The CPUs allowed in /proc/self/status; empty if it lists none.
std::optional<std::vector<int>> allowed_cpus(const Root& root) {
  const auto status = meter::read_text(root / "proc/self/status");
  if (!status) return std::nullopt;
  std::istringstream lines(*status);
  constexpr std::string_view kKey = "Cpus_allowed_list:";
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kKey)) continue;
    const std::size_t from = line.find_first_not_of(" \t", kKey.size());
    const auto list = cpu_list_from_text(
        from == std::string::npos ? std::string_view() : std::string_view(line).substr(from));
    if (list && !list->empty()) return list;
  }
  return std::nullopt;
}

std::vector<std::vector<int>> shared_cores(const Root& root, const std::vector<int>& usable) {
  const std::set<int> mine = set_of(usable);
  std::set<std::vector<int>> cores;
  for (const int cpu : usable) {
    const auto siblings =
        list_in(root, kFolder + "/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list");
    if (!siblings) continue;
    std::set<int> both;
    for (const int one : *siblings)
      if (mine.count(one)) both.insert(one);
    if (both.size() > 1) cores.emplace(both.begin(), both.end());
  }
  return {cores.begin(), cores.end()};
}

}  // namespace

std::vector<int> Cpus::usable() const {
  std::set<int> all;
  for (const Cluster& cluster : clusters) all.insert(cluster.usable.begin(), cluster.usable.end());
  return {all.begin(), all.end()};
}

Cpus cpus(const Root& root) {
  Cpus found;
  const std::vector<int> present = numbers(root);
  const std::set<int> atoms = set_or(list_in(root, "sys/devices/cpu_atom/cpus"), {});
  const std::set<int> on = set_or(list_in(root, kFolder + "/online"), present);
  const std::set<int> may = set_or(allowed_cpus(root), present);
  std::vector<Cpu> all;
  for (const int number : present) {
    const Cpu cpu = read_cpu(root, number, atoms);
    if (!on.count(number)) found.offline.push_back(number);
    else if (!may.count(number)) found.hidden.push_back(number);
    // For an offline CPU, many kernels report nothing; it would then form its own cluster.
    if (on.count(number) || cpu.capacity || cpu.max_hz) all.push_back(cpu);
  }
  found.clusters = grouped(std::move(all));
  for (Cluster& cluster : found.clusters)
    std::copy_if(cluster.cpus.begin(), cluster.cpus.end(), std::back_inserter(cluster.usable),
                 [&](int cpu) { return on.count(cpu) && may.count(cpu); });
  const Cgroup group = cgroup(root);
  found.quota = group.quota;
  found.quota_file = group.quota_file;
  found.members = group.members;
  if (group.cpus && !found.hidden.empty()) {
    const std::set<int> inside = set_of(*group.cpus);
    if (std::none_of(found.hidden.begin(), found.hidden.end(),
                     [&](int cpu) { return inside.count(cpu) > 0; }))
      found.hidden_by = "cpuset " + sanitized(group.name, 100);
  }
  found.threads = shared_cores(root, found.usable());
  return found;
}

std::vector<Cluster> clusters_of(const Cpus& cpus, const std::vector<int>& chosen) {
  const std::set<int> wanted = set_of(chosen);
  std::vector<Cluster> clusters;
  for (Cluster cluster : cpus.clusters) {
    std::erase_if(cluster.usable, [&](int cpu) { return wanted.count(cpu) == 0; });
    if (!cluster.usable.empty()) clusters.push_back(std::move(cluster));
  }
  return clusters;
}

std::string mixture(const Cpus& cpus, const std::vector<int>& chosen) {
  std::string text;
  for (const Cluster& cluster : clusters_of(cpus, chosen))
    text +=
        (text.empty() ? "" : " + ") + std::to_string(cluster.usable.size()) + " " + cluster.name;
  return text;
}

}  // namespace edgeprobe::processors
