// SPDX-License-Identifier: Apache-2.0
#include "engine/vulkan_driver.h"

#include <cstdlib>
#include <string_view>

namespace edgeprobe::engine {

bool driver_is_software() {
  for (const char* const variable : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) {
    const char* const files = std::getenv(variable);
    if (!files || !*files) continue;
    const std::string_view text(files);
    // The older name counts only where the newer one is not set.
    return text.find("lvp_icd") != text.npos || text.find("swiftshader") != text.npos;
  }
  return false;
}

}  // namespace edgeprobe::engine
