// SPDX-License-Identifier: Apache-2.0
#include "placement/search/conditions.h"

#include <sched.h>

#include <cstdlib>

#include "meter/machine.h"

namespace edgeprobe::placement {
namespace {

/// Contents of a file; "-" if it is missing or unreadable.
std::string said(const meter::Root& root, const std::string& file) {
  const auto text = meter::read_text(root / file);
  return text ? *text : "-";
}

std::string mask_text() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  std::string text;
  if (::sched_getaffinity(0, sizeof mine, &mine) == 0)
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &mine)) text += std::to_string(cpu) + ",";
  return text;
}

}  // namespace

std::string conditions_text(const std::vector<int>& cpus, const meter::Root& root) {
  const meter::Machine machine = meter::machine(root);
  std::string text = machine.architecture + "; " + machine.processor + "; " + machine.kernel +
                     "; CPUs " + mask_text();
  for (const char* const file :
       {"etc/machine-id", "sys/devices/system/cpu/smt/active",
        "sys/devices/system/cpu/cpufreq/boost", "sys/devices/system/cpu/intel_pstate/no_turbo",
        "sys/fs/cgroup/cpu.max"})
    text += "; " + said(root, file);
  for (const int cpu : cpus) {
    const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/";
    for (const char* const file :
         {"cpu_capacity", "cpufreq/cpuinfo_max_freq", "cpufreq/scaling_max_freq",
          "cpufreq/scaling_min_freq", "cpufreq/scaling_governor"})
      text += "; " + said(root, folder + file);
  }
  // The loaded GPU driver, and whether its device is visible at all.
  for (const char* const name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "CUDA_VISIBLE_DEVICES"})
    if (const char* const value = std::getenv(name)) text += std::string("; ") + name + "=" + value;
  return text;
}

}  // namespace edgeprobe::placement
