// SPDX-License-Identifier: Apache-2.0
#include "processors/vulkan_device.h"

#include <charconv>
#include <string_view>

namespace edgeprobe::processors {

const char* name(VulkanDevice::Kind kind) {
  switch (kind) {
    case VulkanDevice::Kind::kIntegrated: return "integrated";
    case VulkanDevice::Kind::kDiscrete: return "discrete";
    case VulkanDevice::Kind::kVirtual: return "virtual";
    case VulkanDevice::Kind::kSoftware: return "software";
    case VulkanDevice::Kind::kOther: break;
  }
  return "other";
}

std::optional<int> mesa_release(const VulkanDevice& device) {
  constexpr std::string_view kMesa = "Mesa ";
  const std::string_view text = device.version;
  if (!text.starts_with(kMesa)) return std::nullopt;
  int release = 0;
  const char* const from = text.data() + kMesa.size();
  const auto [end, failure] = std::from_chars(from, text.data() + text.size(), release);
  if (failure != std::errc{} || end == text.data() + text.size() || *end != '.')
    return std::nullopt;
  return release;
}

}  // namespace edgeprobe::processors
