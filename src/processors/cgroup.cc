// SPDX-License-Identifier: Apache-2.0
#include "processors/cgroup.h"

#include <climits>
#include <sstream>

#include "core/cpu_list.h"

namespace edgeprobe::processors {
namespace {

using meter::Root;

std::optional<double> share(const std::string& time, const std::string& period) {
  const auto most = meter::whole_number(time), length = meter::whole_number(period);
  if (!most || !length || *most <= 0 || *length <= 0) return std::nullopt;
  return static_cast<double>(*most) / static_cast<double>(*length);
}

/// Parses "200000 100000" or "max 100000".
std::optional<double> quota_of(const std::string& text) {
  std::istringstream words(text);
  std::string time, period;
  words >> time >> period;
  return share(time, period);
}

std::string text_of(const Root& root, const std::string& inside) {
  const auto text = meter::read_text(root / inside);
  return text ? *text : "";
}

/// Reads the CPUs of the group NAME in the hierarchy at `tree`.
void take_cpus(const Root& root, const std::string& tree, const std::string& name,
               const std::string& file, Cgroup& group) {
  const auto list =
      cpu_list_from_text(text_of(root, tree + (name == "/" ? "" : name) + "/" + file));
  if (group.cpus || !list || list->empty()) return;
  group.cpus = *list;
  group.name = name;
  group.members = "/" + tree + "/cgroup.procs";
}

/// The lowest limit of the group and its ancestors.
template <class Read>
void take_quota(const std::string& tree, std::string name, const std::string& file,
                const Read& read, Cgroup& group) {
  for (;; name = name.substr(0, name.rfind('/'))) {
    const std::string folder = tree + (name == "/" ? "" : name);
    const auto quota = read(folder);
    if (quota && (!group.quota || *quota < *group.quota)) {
      group.quota = quota;
      group.quota_file = "/" + folder + "/" + file;
    }
    if (name.empty() || name == "/") return;
  }
}

}  // namespace

Cgroup cgroup(const Root& root) {
  Cgroup group;
  // "HIERARCHY:CONTROLLERS:PATH" lines; the one without controllers is version 2.
  std::istringstream lines(text_of(root, "proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    // A path outside of its hierarchy belongs to a foreign namespace; a path beyond PATH_MAX cannot
    // be opened.
    if (path.empty() || path[0] != '/' || path.size() > PATH_MAX ||
        path.find("..") != std::string::npos)
      continue;
    const auto has = [&](const std::string& name) {
      return ("," + controllers + ",").find("," + name + ",") != std::string::npos;
    };
    if (controllers.empty()) {
      take_cpus(root, "sys/fs/cgroup", path, "cpuset.cpus.effective", group);
      take_quota(
          "sys/fs/cgroup", path, "cpu.max",
          [&](const std::string& folder) { return quota_of(text_of(root, folder + "/cpu.max")); },
          group);
    }
    if (has("cpuset"))
      for (const char* const tree : {"sys/fs/cgroup/cpuset", "dev/cpuset"})
        for (const char* const file :
             {"cpuset.effective_cpus", "cpuset.cpus", "effective_cpus", "cpus"})
          take_cpus(root, tree, path, file, group);
    if (has("cpu"))
      for (const char* const tree : {"sys/fs/cgroup/cpu", "sys/fs/cgroup/cpu,cpuacct"})
        take_quota(
            tree, path, "cpu.cfs_quota_us",
            [&](const std::string& folder) {
              return share(text_of(root, folder + "/cpu.cfs_quota_us"),
                           text_of(root, folder + "/cpu.cfs_period_us"));
            },
            group);
  }
  return group;
}

}  // namespace edgeprobe::processors
