// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace edgeprobe::processors {

/// A device as its Vulkan driver describes it.
struct VulkanDevice {
  enum class Kind { kOther, kIntegrated, kDiscrete, kVirtual, kSoftware };

  std::string name;  ///< "llvmpipe (LLVM 15.0.6, 256 bits)", "Adreno (TM) 730".
  Kind kind = Kind::kOther;
  std::string driver;   ///< "llvmpipe", "radv"; "" of drivers before Vulkan 1.2.
  std::string version;  ///< In the driver's own words: "Mesa 22.3.6 (LLVM 15.0.6)"; may be "".
  std::string api;      ///< Version of Vulkan: "1.3.230".
};

/// "software", "integrated", …: words of the output.
const char* name(VulkanDevice::Kind kind);

/// 22 of "Mesa 22.3.6 (LLVM 15.0.6)"; nothing for a driver that is not Mesa's.
std::optional<int> mesa_release(const VulkanDevice& device);

}  // namespace edgeprobe::processors
