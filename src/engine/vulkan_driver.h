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

/// A delegate's name or library, with " (software)" where it is one that computes through Vulkan
/// and the chosen driver does so on the processor: LiteRT's "gpu", ONNX Runtime's WebGPU provider.
std::string labelled_delegate(std::string name);

}  // namespace edgeprobe::engine
