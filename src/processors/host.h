// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/result.h"
#include "meter/reading.h"
#include "processors/vulkan_device.h"

/// What processors a device has, what keeps a model from them, and what to do about it.
namespace edgeprobe::processors {

/// The machine that is looked at. Tests put a folder in the place of "/", and answers in the place
/// of a driver's.
struct Host {
  meter::Root root;
  /// What Vulkan's loader and the dynamic loader read: VK_DRIVER_FILES, LD_LIBRARY_PATH, …; those
  /// that are set.
  std::map<std::string, std::string> environment;
  bool is_root = false;  ///< Of the process, which then needs no sudo.
  /// Which devices the drivers show; kNotFound without Vulkan's loader. Not set: nobody is asked.
  std::function<Result<std::vector<VulkanDevice>>()> ask_vulkan;

  /// "" where it is not set.
  std::string variable(const std::string& name) const;
  /// Whether Android runs here, which knows no sudo and no packages.
  bool is_android() const;
};

/// This machine; its Vulkan drivers are asked in a process of their own.
Host this_host();

/// A file that stands for a device, and whether this process may use it.
struct DeviceNode {
  std::string path;  ///< "/dev/dri/renderD128", as a real system calls it.
  bool may_open = false;
  std::string group;   ///< Whose members may open it: "render"; "" where only its owner may.
  std::string reason;  ///< Why it may not be opened: "not permitted"; "" when it may.
};

/// Of the file at `inside`, a path below the root.
DeviceNode device_node(const Host& host, const std::string& inside);

}  // namespace edgeprobe::processors
