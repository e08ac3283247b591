// SPDX-License-Identifier: Apache-2.0
#include "processors/examination.h"

#include <algorithm>

#include "core/cpu_list.h"
#include "processors/cpu_findings.h"

namespace edgeprobe::processors {
namespace {

/// True if one of the remedies needs rights that this user may not get.
bool needs_root(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return std::any_of(finding.commands.begin(), finding.commands.end(),
                       [](const std::string& command) {
                         return command.starts_with("sudo ") || command.starts_with("su -c") ||
                                command.find("| sudo ") != std::string::npos;
                       });
  });
}

Finding no_root(const Host& host) {
  return {
      Severity::kNote, "no_root", "This process is not root, and some of the cures need it.",
      host.is_android()
          ? "On a device of a developer's build adbd is started as root; on others these cures "
            "need a rooted device, and what they are for stays unknown."
          : "The commands ask for it by sudo; without that right ask who administers the machine.",
      host.is_android() ? std::vector<std::string>{"adb root"} : std::vector<std::string>{}};
}

}  // namespace

Result<Examination> examine(const Host& host, const Choice& choice) {
  Examination found;
  found.cpus = cpus(host.root);
  const std::vector<int> usable = found.cpus.usable();
  for (const int cpu : choice.cpus)
    if (!std::binary_search(usable.begin(), usable.end(), cpu))
      return Error{ErrorKind::kUsage, "CPU " + std::to_string(cpu) +
                                          " was asked for, but this process may use " +
                                          cpu_list_text(usable) + " alone"};
  found.gpus = gpus(host);
  found.dsps = dsps(host);
  found.energy = energy_sources(host);
  const auto add = [&](std::vector<Finding> more) {
    std::move(more.begin(), more.end(), std::back_inserter(found.findings));
  };
  add(cpu_findings(host, found.cpus));
  add(mixture_findings(found.cpus, choice));
  add(clock_findings(host, found.cpus));
  add(gpu_findings(host, found.gpus));
  add(dsp_findings(host, found.dsps));
  add(energy_findings(host, found.energy));
  if (!host.is_root && needs_root(found.findings)) found.findings.push_back(no_root(host));
  std::stable_sort(found.findings.begin(), found.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
  found.device = device_yaml(found.cpus);
  return found;
}

}  // namespace edgeprobe::processors
