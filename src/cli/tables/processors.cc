// SPDX-License-Identifier: Apache-2.0
#include "cli/tables/processors.h"

#include <nlohmann/json.hpp>

#include "core/cpu_list.h"
#include "core/text.h"
#include "report/text/columns.h"

namespace edgeprobe::cli {
namespace {

using processors::Cluster;
using processors::Cpus;
using processors::cpus_text;
using processors::DeviceNode;
using processors::Dsps;
using processors::EnergySource;
using processors::EnergySources;
using processors::Examination;
using processors::Finding;
using processors::Gpus;
using processors::VulkanDevice;
using processors::VulkanDriver;
using Json = nlohmann::ordered_json;

constexpr std::size_t kWidth = 100;
constexpr std::size_t kNameWidth = 12;

std::string processor_row(const std::string& name, const std::string& text) {
  return "  " + (text.empty() ? name : report::padded(name, kNameWidth) + text) + "\n";
}

std::string cluster_text(const Cluster& cluster) {
  std::string text = report::padded(cpus_text(cluster.cpus), 12);
  if (cluster.usable != cluster.cpus)
    text += " usable: " + (cluster.usable.empty() ? "none" : cpu_list_text(cluster.usable)) + ",";
  if (cluster.max_hz) text += " " + number(*cluster.max_hz * 1e-9, 3) + " GHz,";
  if (cluster.capacity) text += " capacity " + std::to_string(*cluster.capacity) + ",";
  return text + " mask " + cpu_mask_text(cluster.usable);
}

std::string node_text(const DeviceNode& node) {
  return node.may_open ? "may be opened" : "cannot be opened: " + node.reason;
}

std::string device_text(const VulkanDevice& device) {
  return std::string(name(device.kind)) + ", Vulkan " + device.api +
         (device.version.empty() ? "" : ", " + device.version);
}

std::string gpus_text(const Gpus& gpus) {
  std::string text = "gpus\n";
  for (const VulkanDevice& device : gpus.devices)
    text += processor_row("vulkan", device.name + ": " + device_text(device));
  for (const VulkanDriver& driver : gpus.drivers)
    text += processor_row("driver", sanitized(driver.manifest, 300) +
                                        (driver.reason.empty() ? "" : ": " + driver.reason));
  for (const DeviceNode& node : gpus.nodes)
    text += processor_row("device", node.path + ": " + node_text(node));
  for (const std::string& library : gpus.opencl) text += processor_row("opencl", library);
  const bool none =
      gpus.devices.empty() && gpus.drivers.empty() && gpus.nodes.empty() && gpus.opencl.empty();
  return none ? text + processor_row("none", "") : text;
}

std::string dsps_text(const Dsps& dsps) {
  std::string text = "dsps\n";
  if (!dsps.is_qualcomm)
    return text + processor_row("none", "(of Qualcomm's; others are not looked for)");
  text +=
      processor_row("chip", (dsps.soc.empty() ? "not reported" : dsps.soc) + ", " +
                                (dsps.hexagon.empty() ? "its Hexagon is not known" : dsps.hexagon));
  for (const DeviceNode& node : dsps.nodes)
    text += processor_row("device", node.path + ": " + node_text(node));
  for (const std::string& library : dsps.libraries) text += processor_row("library", library);
  return text;
}

std::string energy_text(const EnergySources& energy) {
  std::string text = "energy\n";
  for (const EnergySource& source : energy.all)
    text += processor_row(name(source.kind),
                          sanitized(source.name, 60) + ": " + sanitized(source.source, 200) +
                              (source.reason.empty() ? "" : ": " + source.reason));
  if (energy.all.empty())
    text += processor_row("none", energy.is_virtual ? "a virtual machine" : "");
  if (!energy.battery.empty()) text += processor_row("state", energy.battery);
  for (const std::string& charger : energy.chargers) text += processor_row("fed by", charger);
  return text;
}

std::string finding_text(const Finding& finding) {
  std::string text = "\n" + report::wrapped(std::string(name(finding.severity)) + "  ",
                                            finding.cause + " [" + finding.what + "]", kWidth);
  text += report::wrapped("  cure   ", finding.cure, kWidth);
  for (const std::string& command : finding.commands) text += "    " + command + "\n";
  return text;
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

template <class T>
Json null_without(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json processor_json(const DeviceNode& node) {
  return {{"path", node.path},
          {"may_open", node.may_open},
          {"group", text_or_null(node.group)},
          {"reason", text_or_null(node.reason)}};
}

Json processor_json(const Cpus& cpus) {
  auto clusters = Json::array();
  for (const Cluster& cluster : cpus.clusters)
    clusters.push_back({{"name", cluster.name},
                        {"cpus", cluster.cpus},
                        {"usable", cluster.usable},
                        {"mask", cpu_mask_text(cluster.usable)},
                        {"capacity", null_without(cluster.capacity)},
                        {"max_hz", null_without(cluster.max_hz)}});
  return {{"clusters", std::move(clusters)},   {"usable", cpus.usable()},
          {"offline", cpus.offline},           {"hidden", cpus.hidden},
          {"quota", null_without(cpus.quota)}, {"shared_cores", cpus.threads}};
}

Json processor_json(const Gpus& gpus) {
  auto devices = Json::array(), drivers = Json::array(), nodes = Json::array();
  for (const VulkanDevice& device : gpus.devices)
    devices.push_back({{"name", device.name},
                       {"kind", name(device.kind)},
                       {"driver", text_or_null(device.driver)},
                       {"version", text_or_null(device.version)},
                       {"vulkan", device.api}});
  for (const VulkanDriver& driver : gpus.drivers)
    drivers.push_back({{"manifest", sanitized(driver.manifest, 300)},
                       {"library", text_or_null(driver.library)},
                       {"vulkan", text_or_null(driver.api)},
                       {"reason", text_or_null(driver.reason)}});
  for (const DeviceNode& node : gpus.nodes) nodes.push_back(processor_json(node));
  return {{"vulkan", std::move(devices)},
          {"drivers", std::move(drivers)},
          {"nodes", std::move(nodes)},
          {"opencl", gpus.opencl}};
}

Json processor_json(const Dsps& dsps) {
  if (!dsps.is_qualcomm) return nullptr;
  auto nodes = Json::array();
  for (const DeviceNode& node : dsps.nodes) nodes.push_back(processor_json(node));
  return {{"chip", text_or_null(dsps.soc)},
          {"hexagon", text_or_null(dsps.hexagon)},
          {"nodes", std::move(nodes)},
          {"libraries", dsps.libraries}};
}

Json processor_json(const EnergySources& energy) {
  auto sources = Json::array();
  for (const EnergySource& source : energy.all)
    sources.push_back({{"name", sanitized(source.name, 60)},
                       {"kind", name(source.kind)},
                       {"source", sanitized(source.source, 200)},
                       {"reason", text_or_null(source.reason)}});
  return {{"sources", std::move(sources)},
          {"battery", text_or_null(energy.battery)},
          {"chargers", energy.chargers},
          {"virtual_machine", energy.is_virtual}};
}

}  // namespace

std::string processors_text(const Examination& examination) {
  std::string text = "cpus\n";
  for (const Cluster& cluster : examination.cpus.clusters)
    text += processor_row(cluster.name, cluster_text(cluster));
  if (examination.cpus.clusters.empty()) text += processor_row("none", "the kernel reports no CPU");
  text +=
      gpus_text(examination.gpus) + dsps_text(examination.dsps) + energy_text(examination.energy);
  for (const Finding& finding : examination.findings) text += finding_text(finding);
  if (examination.findings.empty()) text += "\nNothing prevents a measurement.\n";
  if (!examination.device.empty())
    text += "\nThe clusters as a file for --device:\n" + examination.device;
  return text;
}

std::string processors_json(const Examination& examination) {
  auto findings = Json::array();
  for (const Finding& finding : examination.findings)
    findings.push_back({{"severity", name(finding.severity)},
                        {"what", finding.what},
                        {"cause", finding.cause},
                        {"cure", finding.cure},
                        {"commands", finding.commands}});
  return Json{{"processors",
               {{"cpus", processor_json(examination.cpus)},
                {"gpus", processor_json(examination.gpus)},
                {"dsps", processor_json(examination.dsps)},
                {"energy", processor_json(examination.energy)}}},
              {"findings", std::move(findings)},
              {"device", text_or_null(examination.device)}}
      .dump(2);
}

}  // namespace edgeprobe::cli
