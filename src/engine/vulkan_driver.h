// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace edgeprobe::engine {

/// The Vulkan drivers chosen by VK_DRIVER_FILES (or VK_ICD_FILENAMES, its older name), unchanged;
/// "" if the loader chooses.
std::string chosen_drivers();

/// True if the Vulkan driver chosen by VK_DRIVER_FILES (or VK_ICD_FILENAMES, its older name)
/// computes on the CPU: Mesa's lavapipe, or SwiftShader. False if neither is set, because the
/// loader's choice is unknown.
bool driver_is_software();

/// A delegate's name or library, with " (software)" if it computes through Vulkan and the chosen
/// driver does so on the CPU: LiteRT's "gpu", ONNX Runtime's WebGPU provider.
std::string labelled_delegate(std::string name);

}  // namespace edgeprobe::engine
