// SPDX-License-Identifier: Apache-2.0
#include "processors/gpus.h"

#include <algorithm>
#include <sstream>

#include <nlohmann/json.hpp>

#include "core/text.h"

namespace edgeprobe::processors {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> parts(const std::string& text) {
  std::vector<std::string> found;
  std::istringstream all(text);
  for (std::string one; std::getline(all, one, ':');)
    if (!one.empty()) found.push_back(one);
  return found;
}

/// Maps a path of the real system below this root; a variable's path may be relative to the working
/// directory.
fs::path below(const Host& host, const std::string& path) {
  std::error_code unknown;
  return host.root.path / fs::absolute(path, unknown).relative_path();
}

bool is_there(const fs::path& path) {
  std::error_code unknown;
  return fs::exists(path, unknown);
}

/// The loader's search folders according to its documentation; each contains icd.d.
std::vector<std::string> folders(const Host& host) {
  std::vector<std::string> found;
  const std::string home = host.variable("HOME");
  const auto add = [&](const std::string& base) {
    if (!base.empty()) found.push_back(base + "/vulkan/icd.d");
  };
  const auto or_else = [&](const char* name, const std::string& other) {
    const std::string value = host.variable(name);
    return value.empty() ? other : value;
  };
  add(or_else("XDG_CONFIG_HOME", home.empty() ? "" : home + "/.config"));
  for (const std::string& one : parts(or_else("XDG_CONFIG_DIRS", "/etc/xdg"))) add(one);
  add("/etc");
  add(or_else("XDG_DATA_HOME", home.empty() ? "" : home + "/.local/share"));
  for (const std::string& one : parts(or_else("XDG_DATA_DIRS", "/usr/local/share:/usr/share")))
    add(one);
  return found;
}

bool is_manifest(const std::string& name) { return name.ends_with(".json"); }

/// Adds a manifest, or all manifests in a folder.
void add_manifests(const Host& host, const std::string& path, std::vector<std::string>& found) {
  if (const auto names = meter::entries(below(host, path))) {
    for (const std::string& name : *names)
      if (is_manifest(name)) found.push_back(path + "/" + name);
  } else if (is_manifest(path)) {
    found.push_back(path);
  }
}

VulkanDriver driver_of(const Host& host, const std::string& manifest) {
  VulkanDriver driver{manifest, "", "", ""};
  const auto text = meter::read_text(below(host, manifest));
  if (!text) {
    driver.reason = text.error().what;
    return driver;
  }
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  const auto icd = json.is_object() ? json.find("ICD") : json.end();
  const auto word = [&](const char* key) {
    const auto at = icd->find(key);
    return at != icd->end() && at->is_string() ? sanitized(at->get<std::string>(), 300) : "";
  };
  if (!json.is_object() || icd == json.end() || !icd->is_object()) {
    driver.reason = json.is_discarded() ? "is not JSON" : "has no ICD";
    return driver;
  }
  driver.library = word("library_path");
  driver.api = word("api_version");
  if (driver.library.empty()) {
    driver.reason = "names no library";
    return driver;
  }
  // A bare name is resolved by the dynamic loader, whose folders are unknown here.
  if (driver.library.find('/') == std::string::npos) return driver;
  const fs::path library =
      driver.library[0] == '/'
          ? fs::path(driver.library)
          : (fs::path(manifest).parent_path() / driver.library).lexically_normal();
  if (!is_there(below(host, library.string())))
    driver.reason = "its library " + sanitized(library.string(), 300) + " is not there";
  return driver;
}

/// Android has no manifests: it uses vulkan.NAME.so in the folders of its hardware modules.
void add_android(const Host& host, Gpus& gpus) {
  for (const char* const folder : {"/vendor/lib64/hw", "/vendor/lib/hw", "/system/lib64/hw"}) {
    if (!gpus.drivers.empty()) return;
    if (const auto names = meter::entries(below(host, folder)))
      for (const std::string& name : *names)
        if (name.starts_with("vulkan.") && name.ends_with(".so"))
          gpus.drivers.push_back(
              {std::string(folder) + "/" + name, std::string(folder) + "/" + name, "", ""});
  }
}

void add_drivers(const Host& host, Gpus& gpus) {
  std::vector<std::string> manifests;
  for (const char* const name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"})
    if (gpus.chosen_by.empty() && !host.variable(name).empty()) {
      gpus.chosen_by = name;
      for (const std::string& path : parts(host.variable(name)))
        add_manifests(host, path, manifests);
    }
  if (gpus.chosen_by.empty()) {
    for (const std::string& path : parts(host.variable("VK_ADD_DRIVER_FILES")))
      add_manifests(host, path, manifests);
    for (const std::string& folder : folders(host))
      if (const auto names = meter::entries(below(host, folder)))
        for (const std::string& name : *names)
          if (is_manifest(name)) manifests.push_back(folder + "/" + name);
  }
  for (const std::string& manifest : manifests) gpus.drivers.push_back(driver_of(host, manifest));
  if (host.is_android()) add_android(host, gpus);
}

}  // namespace

Gpus gpus(const Host& host) {
  Gpus found;
  add_drivers(host, found);
  if (const auto names = meter::entries(host.root / "dev/dri"))
    for (const std::string& name : *names)
      if (name.starts_with("renderD")) found.nodes.push_back(device_node(host, "dev/dri/" + name));
  // Drivers that do not use /dev/dri: Qualcomm's, ARM's, NVIDIA's.
  for (const char* const inside : {"dev/kgsl-3d0", "dev/mali0", "dev/nvidia0"})
    if (is_there(host.root / inside)) found.nodes.push_back(device_node(host, inside));
  if (const auto names = meter::entries(host.root / "etc/OpenCL/vendors"))
    for (const std::string& name : *names)
      if (name.ends_with(".icd"))
        if (const auto text = meter::read_text(host.root / ("etc/OpenCL/vendors/" + name)))
          found.opencl.push_back(sanitized(text->substr(0, text->find('\n')), 200));
  if (!host.ask_vulkan) return found;
  found.asked = true;
  auto devices = host.ask_vulkan();
  if (devices) found.devices = *std::move(devices);
  else found.not_asked = std::move(devices).error();
  return found;
}

}  // namespace edgeprobe::processors
