// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace edgeprobe::engine {

/// The Vulkan drivers that VK_DRIVER_FILES (or VK_ICD_FILENAMES, its older name) chooses, as it is
/// set; "" where the loader chooses.
std::string chosen_drivers();

/// Whether the Vulkan driver that VK_DRIVER_FILES (or VK_ICD_FILENAMES, its older name) chooses
/// computes on the processor: Mesa's lavapipe, or SwiftShader. Where neither is set the loader
/// chooses, and that is not known.
bool driver_is_software();

}  // namespace edgeprobe::engine
