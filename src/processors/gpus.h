// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "processors/finding.h"
#include "processors/host.h"

namespace edgeprobe::processors {

/// A Vulkan driver as a file announces it to the loader.
struct VulkanDriver {
  std::string manifest;  ///< "/usr/share/vulkan/icd.d/radeon_icd.json"; Android: its library.
  std::string library;   ///< As the manifest has it; "" where it cannot be read.
  std::string api;       ///< Version of Vulkan as the manifest has it.
  std::string reason;    ///< Why it cannot work: "absent", "is no JSON"; "" else.
};

struct Gpus {
  std::string chosen_by;  ///< The variable that replaces the folders: "VK_DRIVER_FILES"; "" none.
  std::vector<VulkanDriver> drivers;
  std::vector<DeviceNode> nodes;      ///< /dev/dri/renderD*, and those of drivers outside of it.
  std::vector<std::string> opencl;    ///< What /etc/OpenCL/vendors/*.icd name.
  std::vector<VulkanDevice> devices;  ///< As the drivers show them.
  /// Why there are no devices; its kind is kNotFound without the loader. Nothing where they were
  /// asked, or where nobody asks.
  std::optional<Error> not_asked;
  bool asked = false;
};

Gpus gpus(const Host& host);
std::vector<Finding> gpu_findings(const Host& host, const Gpus& gpus);

}  // namespace edgeprobe::processors
