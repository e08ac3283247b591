// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/text.h"
#include "processors/gpus.h"

namespace edgeprobe::processors {
namespace {

/// The oldest Mesa release that the engines' WebGPU libraries were observed to accept, and the
/// newest that both refused (docs/reference/engines.md).
constexpr int kMesaTaken = 25, kMesaRefused = 22;
/// Maximum number of drivers with a command each; few devices have more than three.
constexpr std::size_t kMostTried = 6;

const char* const kSoftwareDriver =
    "script/setup --gpu in a checkout installs Mesa 25's driver for CPUs, to try plans with a GPU "
    "on a machine without one.";

std::vector<std::string> install_driver(const Host& host) {
  if (host.is_android()) return {};
  return {as_root(host, "apt-get install libvulkan1 mesa-vulkan-drivers")};
}

std::string driver_cure(const Host& host) {
  return host.is_android() ? "The driver comes with the system image; there is none to install."
                           : "Install the maker's driver, of which NVIDIA's Vulkan driver is a "
                             "part, or Mesa's:";
}

/// Suggests CUDA, which needs no Vulkan.
std::string cuda_text(const Gpus& gpus) {
  const bool nvidia = std::any_of(gpus.nodes.begin(), gpus.nodes.end(), [](const DeviceNode& node) {
    return node.path.starts_with("/dev/nvidia");
  });
  return nvidia ? "ONNX Runtime's CUDA provider does without Vulkan. " : "";
}

std::vector<Finding> manifest_findings(const Host& host, const Gpus& gpus) {
  std::vector<Finding> findings;
  for (const VulkanDriver& driver : gpus.drivers) {
    if (driver.reason.empty()) continue;
    const bool by_variable = !gpus.chosen_by.empty();
    findings.push_back(
        {Severity::kProblem, "broken_vulkan_driver",
         "The Vulkan driver " + sanitized(driver.manifest, 300) + " cannot be used: " +
             (driver.reason == "absent" ? "there is no such file" : driver.reason) + "." +
             (by_variable ? " " + gpus.chosen_by + " names it, and then the loader sees no other."
                          : ""),
         by_variable ? "Unset the variable, or name a driver that exists."
                     : "Install the package that it is of once more, or delete the file.",
         by_variable ? std::vector<std::string>{"unset " + gpus.chosen_by} : install_driver(host)});
  }
  if (gpus.drivers.empty() && !gpus.chosen_by.empty())
    findings.push_back({Severity::kProblem,
                        "broken_vulkan_driver",
                        gpus.chosen_by + " is set and names no driver: '" +
                            sanitized(host.variable(gpus.chosen_by), 300) +
                            "'; the loader then sees no other.",
                        "Take the variable away, or name a driver's .json file.",
                        {"unset " + gpus.chosen_by}});
  return findings;
}

void add_nodes(const Host& host, const Gpus& gpus, std::vector<Finding>& findings) {
  for (const DeviceNode& node : gpus.nodes) {
    if (node.may_open) continue;
    const std::string group = node.group.empty() ? "render" : node.group;
    findings.push_back(
        {Severity::kProblem,
         "gpu_not_permitted",
         node.path + " cannot be opened: " + node.reason +
             ". A driver then shows no GPU, or a "
             "software one in its place.",
         host.is_android() || node.reason != "not permitted"
             ? "Give this user the right to read and write it:"
             : "Make this user a member of the group " + group + ", and log in again:",
         {host.is_android() || node.reason != "not permitted"
              ? as_root(host, "chmod a+rw " + node.path)
              : as_root(host, "usermod -aG " + group + " USER")}});
  }
}

void add_old(const Host& host, const VulkanDevice& device, std::vector<Finding>& findings) {
  const auto release = mesa_release(device);
  if (!release || *release >= kMesaTaken) return;
  const bool refused = *release <= kMesaRefused;
  findings.push_back(
      {refused ? Severity::kProblem : Severity::kWarning,
       "old_vulkan_driver",
       "'" + device.name + "' has " + device.version + ": " +
           (refused ? "the WebGPU libraries of ONNX Runtime and LiteRT refused Mesa 22.3 (No "
                      "supported adapters), "
                      "and took 25; tried with its software driver."
                    : "the WebGPU libraries of ONNX Runtime and LiteRT refused 22.3 and took 25; "
                      "releases between were not tried."),
       "Take Mesa 25 or newer; Debian 12 has it in its backports, once these are among apt's "
       "sources:",
       {as_root(host, "apt-get install -t bookworm-backports mesa-vulkan-drivers")}});
}

void add_software(const Host& host, const Gpus& gpus, std::vector<Finding>& findings) {
  const bool all = std::all_of(
      gpus.devices.begin(), gpus.devices.end(),
      [](const VulkanDevice& one) { return one.kind == VulkanDevice::Kind::kSoftware; });
  if (gpus.devices.empty() || !all) return;
  const bool has_gpu = !gpus.nodes.empty();
  Finding finding{
      has_gpu ? Severity::kProblem : Severity::kNote,
      "software_vulkan_driver",
      "'" + gpus.devices.front().name +
          "' computes on the CPUs: its times say nothing "
          "about a GPU, and it takes CPUs from other programs." +
          (has_gpu ? " The GPU at " + gpus.nodes.front().path + " has no driver here." : ""),
      has_gpu ? driver_cure(host)
              : "Only for trying out plans. ONNX Runtime's provider takes it only with",
      {}};
  if (has_gpu) finding.commands = install_driver(host);
  else if (host.variable("ORT_WEBGPU_EP_ALLOW_SOFTWARE_ADAPTER").empty())
    finding.commands = {"export ORT_WEBGPU_EP_ALLOW_SOFTWARE_ADAPTER=1"};
  else finding.cure = "Only for trying out plans.";
  findings.push_back(std::move(finding));
}

/// Reports drivers that crash, hang or refuse.
Finding failing(const Host& host, const Gpus& gpus) {
  Finding finding{Severity::kProblem,
                  "vulkan_fails",
                  "Vulkan cannot be used: " + sanitized(gpus.not_asked->what, 400) + ".",
                  host.is_android() ? driver_cure(host) : "Install the driver anew:",
                  {}};
  if (!host.is_android())
    finding.commands = {
        as_root(host, "apt-get install --reinstall libvulkan1 mesa-vulkan-drivers")};
  std::vector<std::string> one_by_one;
  for (const VulkanDriver& driver : gpus.drivers)
    if (driver.reason.empty() && one_by_one.size() < kMostTried)
      one_by_one.push_back("VK_DRIVER_FILES=" + shell_word(sanitized(driver.manifest, 300)) +
                           " edgeprobe doctor --processors");
  // If the variable names only one driver, that driver was just tried separately.
  if (one_by_one.size() > 1 || (!one_by_one.empty() && gpus.drivers.size() > 1)) {
    finding.cure = "Try the drivers one by one, and install the one that fails anew:";
    finding.commands = one_by_one;
  } else if (!gpus.chosen_by.empty()) {
    finding.cure = "Install that driver anew, or take the variable away:";
    finding.commands = {"unset " + gpus.chosen_by};
  }
  return finding;
}

/// Reports the drivers' answers, or why there are none.
void add_answers(const Host& host, const Gpus& gpus, bool broken, std::vector<Finding>& findings) {
  const bool nothing = gpus.drivers.empty() && gpus.nodes.empty();
  const bool no_loader = gpus.not_asked && gpus.not_asked->kind == ErrorKind::kNotFound;
  if (nothing && gpus.devices.empty() && !broken && (!gpus.not_asked || no_loader)) {
    findings.push_back(
        {Severity::kNote,
         "no_gpu",
         "There is no GPU that this process sees: no Vulkan driver and no /dev/dri/renderD*. "
         "A virtual machine has one only when it is passed through.",
         kSoftwareDriver,
         {}});
    return;
  }
  if (no_loader) {
    findings.push_back(
        {Severity::kProblem, "no_vulkan_loader",
         "Vulkan's loader cannot be opened: " + sanitized(gpus.not_asked->what, 300) + ".",
         cuda_text(gpus) + "Install it with a driver, or set LD_LIBRARY_PATH to its folder.",
         install_driver(host)});
    return;
  }
  if (gpus.not_asked) {
    findings.push_back(failing(host, gpus));
    return;
  }
  if (!gpus.devices.empty() || broken) return;
  if (gpus.drivers.empty())
    findings.push_back(
        {Severity::kProblem, "no_vulkan_driver",
         "There is a GPU (" + gpus.nodes.front().path +
             ") and no Vulkan driver for it, which the engines' WebGPU libraries need.",
         cuda_text(gpus) + driver_cure(host), install_driver(host)});
  else if (gpus.asked)
    findings.push_back(
        {gpus.nodes.empty() ? Severity::kNote : Severity::kProblem, "vulkan_without_device",
         std::string("Vulkan's drivers show no device") +
             (gpus.nodes.empty() ? ": there is no GPU that this process sees." : "."),
         gpus.nodes.empty() ? kSoftwareDriver : driver_cure(host),
         gpus.nodes.empty() ? std::vector<std::string>{} : install_driver(host)});
}

}  // namespace

std::vector<Finding> gpu_findings(const Host& host, const Gpus& gpus) {
  std::vector<Finding> findings = manifest_findings(host, gpus);
  const bool broken = !findings.empty();
  add_nodes(host, gpus, findings);
  add_answers(host, gpus, broken, findings);
  for (const VulkanDevice& device : gpus.devices) add_old(host, device, findings);
  add_software(host, gpus, findings);
  return findings;
}

}  // namespace edgeprobe::processors
