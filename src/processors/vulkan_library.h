// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/result.h"
#include "processors/vulkan_device.h"

namespace edgeprobe::processors {

/// Opens Vulkan's loader in this process and asks every driver for its devices. kNotFound without
/// the loader, kTarget with what it says.
Result<std::vector<VulkanDevice>> vulkan_devices();

}  // namespace edgeprobe::processors
