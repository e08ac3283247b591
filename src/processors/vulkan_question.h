// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "processors/vulkan_device.h"

namespace edgeprobe::processors {

/// Opens Vulkan's loader in this process and asks every driver for its devices. kNotFound without
/// the loader, kTarget with what it says.
Result<std::vector<VulkanDevice>> vulkan_devices();

/// For loading a driver and asking it; software drivers load a compiler of 100 MB.
inline constexpr std::chrono::milliseconds kVulkanLimit{20'000};

/// The devices that the drivers of this machine show. They are loaded in a process of its own, this
/// executable again: a driver may crash, hang or print. kNotFound without Vulkan's loader, kTarget
/// with the reason for everything else; main() must call answer_vulkan_if_asked() first.
Result<std::vector<VulkanDevice>> ask_vulkan(std::chrono::milliseconds limit);

/// In that process: asks the drivers, writes the answer, and returns the exit code. Nothing in
/// every other process.
std::optional<int> answer_vulkan_if_asked(int argc, char** argv);

/// The answer as JSON, and back; kTarget for a text that is none.
std::string vulkan_answer_text(const Result<std::vector<VulkanDevice>>& answer);
Result<std::vector<VulkanDevice>> vulkan_answer_from_text(std::string_view text);

}  // namespace edgeprobe::processors
