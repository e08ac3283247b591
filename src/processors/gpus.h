// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "processors/finding.h"
#include "processors/host.h"

namespace edgeprobe::processors {

/// A Vulkan driver as announced to the loader by a file.
struct VulkanDriver {
  std::string manifest;  ///< "/usr/share/vulkan/icd.d/radeon_icd.json"; Android: its library.
  std::string library;   ///< From the manifest; "" if it cannot be read.
  std::string api;       ///< Vulkan version in the manifest.
  std::string reason;    ///< Why it cannot work: "absent", "is not JSON"; "" if it can.
};

struct Gpus {
  std::string chosen_by;  ///< The variable that replaces the folders: "VK_DRIVER_FILES"; "": none.
  std::vector<VulkanDriver> drivers;
  /// /dev/dri/renderD*, and the device files of drivers that do not use /dev/dri.
  std::vector<DeviceNode> nodes;
  std::vector<std::string> opencl;    ///< Libraries named in /etc/OpenCL/vendors/*.icd.
  std::vector<VulkanDevice> devices;  ///< As the drivers report them.
  /// Why the drivers could not be queried; kNotFound without the loader. Empty if they were
  /// queried, or if no query was requested.
  std::optional<Error> not_asked;
  bool asked = false;
};

Gpus gpus(const Host& host);
std::vector<Finding> gpu_findings(const Host& host, const Gpus& gpus);

}  // namespace edgeprobe::processors
