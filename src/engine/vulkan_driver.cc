// SPDX-License-Identifier: Apache-2.0
#include "engine/vulkan_driver.h"

#include <cstdlib>

namespace edgeprobe::engine {

std::string chosen_drivers() {
  // The older name counts only where the newer one is not set.
  for (const char* const variable : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) {
    const char* const files = std::getenv(variable);
    if (files && *files) return files;
  }
  return {};
}

bool driver_is_software() {
  const std::string files = chosen_drivers();
  return files.find("lvp_icd") != files.npos || files.find("swiftshader") != files.npos;
}

std::string labelled_delegate(std::string name) {
  const bool is_vulkan =
      name == "gpu" || name.find("webgpu") != name.npos || name.find("WebGpu") != name.npos;
  return is_vulkan && driver_is_software() ? name + " (software)" : name;
}

}  // namespace edgeprobe::engine
