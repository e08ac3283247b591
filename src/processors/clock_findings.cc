// SPDX-License-Identifier: Apache-2.0
#include "processors/cpu_findings.h"

#include <map>
#include <set>

#include "core/cpu_list.h"
#include "core/text.h"
#include "meter/threads.h"
#include "processors/cpus.h"

namespace edgeprobe::processors {
namespace {

std::string policy(int cpu) {
  return "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/";
}

std::string braces(const std::vector<int>& cpus) {
  std::string list;
  for (const int cpu : cpus) list += (list.empty() ? "" : " ") + std::to_string(cpu);
  return list;
}

/// The command for each of these CPUs.
std::string for_each(const std::vector<int>& cpus, const std::string& command) {
  return "for n in " + braces(cpus) + "; do " + command + "; done";
}

void add_governors(const Host& host, const std::vector<int>& usable,
                   std::vector<Finding>& findings) {
  std::map<std::string, std::vector<int>> by_governor;
  std::vector<int> slow;
  for (const int cpu : usable) {
    const auto governor = meter::read_text(host.root / (policy(cpu) + "scaling_governor"));
    if (!governor || *governor == "performance") continue;
    by_governor[sanitized(*governor, 30)].push_back(cpu);
    slow.push_back(cpu);
  }
  if (slow.empty()) return;
  std::string which;
  for (const auto& [governor, cpus] : by_governor)
    which += (which.empty() ? "" : ", ") + governor + " on " + cpus_text(cpus);
  findings.push_back(
      {Severity::kNote,
       "changing_frequency",
       "The governor is " + which +
           ": a CPU that was idle begins slowly, so that short inferences "
           "take longer and vary.",
       "Fix the clock rate for a measurement; afterwards write the old name back. To measure what "
       "an app gets, leave it unfixed.",
       {as_root(
           host,
           for_each(
               slow,
               "echo performance > /sys/devices/system/cpu/cpu$n/cpufreq/scaling_governor"))}});
}

void add_limits(const Host& host, const std::vector<int>& usable, std::vector<Finding>& findings) {
  std::vector<int> limited;
  std::string example;
  for (const int cpu : usable) {
    const auto may = positive(host.root, policy(cpu) + "scaling_max_freq");
    const auto can = positive(host.root, policy(cpu) + "cpuinfo_max_freq");
    if (!may || !can || *may >= *can) continue;
    if (limited.empty())
      example = number(static_cast<double>(*may) * 1e-6) + " of " +
                number(static_cast<double>(*can) * 1e-6) + " GHz on CPU " + std::to_string(cpu);
    limited.push_back(cpu);
  }
  if (limited.empty()) return;
  findings.push_back(
      {Severity::kWarning,
       "limited_frequency",
       cpus_text(limited) + (limited.size() == 1 ? " is" : " are") + " limited: " + example +
           ". A power profile, a battery saver or heat set it.",
       "Lift the limit; if it comes back by itself, the device is hot or saves power.",
       {as_root(host, for_each(limited,
                               "cat /sys/devices/system/cpu/cpu$n/cpufreq/cpuinfo_max_freq > "
                               "/sys/devices/system/cpu/cpu$n/cpufreq/scaling_max_freq"))}});
}

/// A cooling device throttles CPUs while its state is not 0.
void add_throttling(const Host& host, std::vector<Finding>& findings) {
  const std::string folder = "sys/class/thermal";
  const auto names = meter::entries(host.root / folder);
  if (!names) return;
  std::string acting;
  for (const std::string& name : *names) {
    if (!name.starts_with("cooling_device")) continue;
    const auto type = meter::read_text(host.root / (folder + "/" + name + "/type"));
    if (!type || (type->find("cpu") == std::string::npos && *type != "Processor")) continue;
    if (const auto state = positive(host.root, folder + "/" + name + "/cur_state"))
      acting +=
          (acting.empty() ? "" : ", ") + sanitized(*type, 40) + " at " + std::to_string(*state);
  }
  if (acting.empty()) return;
  findings.push_back({Severity::kWarning,
                      "throttled",
                      "The device is hot and slows its CPUs down right now (" + acting + ").",
                      "Let it cool, give it air, and watch it during a measurement:",
                      {"edgeprobe doctor --meters"}});
}

void add_run_delay(const Host& host, std::vector<Finding>& findings) {
  for (const meter::Reading& reading : meter::thread_times(host.root, "self"))
    if (reading.name.starts_with("run delay") && !reading.value)
      return findings.push_back(
                 {Severity::kWarning,
                  "no_run_delay",
                  "The kernel does not report how long a thread waited for a CPU (" +
                      reading.source + ": " + reading.reason +
                      "), so that runs which other programs disturbed cannot be left out.",
                  "Stop everything else, and measure longer; a kernel with CONFIG_SCHED_INFO "
                  "reports it.",
                  {"edgeprobe stretch search MODEL --seconds 1 --rounds 6"}}),
             void();
}

}  // namespace

std::vector<Finding> clock_findings(const Host& host, const Cpus& cpus) {
  std::vector<Finding> findings;
  const std::vector<int> usable = cpus.usable();
  add_governors(host, usable, findings);
  add_limits(host, usable, findings);
  add_throttling(host, findings);
  add_run_delay(host, findings);
  return findings;
}

}  // namespace edgeprobe::processors
