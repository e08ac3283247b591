// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/result.h"
#include "meter/reading.h"
#include "processors/vulkan_device.h"

/// The processors of a device, obstacles to running a model on them, and remedies.
namespace edgeprobe::processors {

/// The examined machine. Tests replace "/" with a folder, and the drivers' answers with fixed ones.
struct Host {
  meter::Root root;
  /// Variables read by Vulkan's loader and the dynamic loader: VK_DRIVER_FILES, LD_LIBRARY_PATH, …;
  /// only those that are set.
  std::map<std::string, std::string> environment;
  bool is_root = false;  ///< True if the process runs as root and needs no sudo.
  /// Queries the devices of the drivers; kNotFound without Vulkan's loader. Unset: no query.
  std::function<Result<std::vector<VulkanDevice>>()> ask_vulkan;

  /// "" if it is not set.
  std::string variable(const std::string& name) const;
  /// True on Android, which has neither sudo nor packages.
  bool is_android() const;
};

/// This machine; its Vulkan drivers are queried in a separate process.
Host this_host();

/// A device file, and whether this process may use it.
struct DeviceNode {
  std::string path;  ///< "/dev/dri/renderD128", the path on the real system.
  bool may_open = false;
  std::string group;   ///< The group whose members may open it: "render"; "" if only its owner may.
  std::string reason;  ///< Why it may not be opened: "not permitted"; "" if it may.
};

/// For the file at `inside`, a path below the root.
DeviceNode device_node(const Host& host, const std::string& inside);

}  // namespace edgeprobe::processors
