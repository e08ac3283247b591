// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace edgeprobe::processors {

/// A device as described by its Vulkan driver.
struct VulkanDevice {
  enum class Kind { kOther, kIntegrated, kDiscrete, kVirtual, kSoftware };

  std::string name;  ///< "llvmpipe (LLVM 15.0.6, 256 bits)", "Adreno (TM) 730".
  Kind kind = Kind::kOther;
  std::string driver;   ///< "llvmpipe", "radv"; "" for drivers before Vulkan 1.2.
  std::string version;  ///< In the driver's format: "Mesa 22.3.6 (LLVM 15.0.6)"; may be "".
  std::string api;      ///< Vulkan version: "1.3.230".
};

/// Names used in the output: "software", "integrated", ….
const char* name(VulkanDevice::Kind kind);

/// 22 for "Mesa 22.3.6 (LLVM 15.0.6)"; empty for a driver that is not Mesa's.
std::optional<int> mesa_release(const VulkanDevice& device);

}  // namespace edgeprobe::processors
