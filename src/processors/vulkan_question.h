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

/// Opens Vulkan's loader in this process and queries every driver for its devices. kNotFound
/// without the loader, kTarget with the loader's message.
Result<std::vector<VulkanDevice>> vulkan_devices();

/// For loading and querying a driver; software drivers load a compiler of 100 MB.
inline constexpr std::chrono::milliseconds kVulkanLimit{20'000};

/// The devices of this machine's drivers. They are loaded in a separate process running this
/// executable, since a driver may crash, hang or print. kNotFound without Vulkan's loader, kTarget
/// with the reason for all other failures; main() must call answer_vulkan_if_asked() first.
Result<std::vector<VulkanDevice>> ask_vulkan(std::chrono::milliseconds limit);

/// In that separate process: queries the drivers, writes the answer, and returns the exit code.
/// Empty in every other process.
std::optional<int> answer_vulkan_if_asked(int argc, char** argv);

/// Converts the answer to JSON, and back; kTarget for an invalid text.
std::string vulkan_answer_text(const Result<std::vector<VulkanDevice>>& answer);
Result<std::vector<VulkanDevice>> vulkan_answer_from_text(std::string_view text);

}  // namespace edgeprobe::processors
