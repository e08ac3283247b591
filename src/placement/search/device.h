// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "stretch/plan.h"

namespace edgeprobe::placement {

/// CPUs that a search uses by default; more branches than that are rare, and each costs a
/// measurement.
inline constexpr std::size_t kMostCpus = 8;

/// Reads the processors of a device from a text in YAML or JSON (docs/reference/device.md):
///   device: 1
///   processors:
///     - {name: big, engine: onnxruntime, cpus: [0], threads: 1, emulated_slowdown: 1}
///     - {name: gpu, engine: onnxruntime, cpus: [1], delegate: "external:/path/libprovider.so"}
/// kUsage with the position for an invalid text: an unknown key (with the nearest known one) or a
/// missing one, two processors with the same name, more threads than CPUs, another version. kLimit
/// for more processors than a plan may have.
Result<std::vector<stretch::Processor>> device_from_text(std::string_view text);

/// One processor for each of these CPUs with each engine: "cpu0"; "cpu0 openvino" with several
/// engines; "cpu0 openvino:/a.so" with several of one kind. Without CPUs, the first kMostCpus
/// available to this process.
std::vector<stretch::Processor> processors_here(const std::vector<std::string>& engines,
                                                std::vector<int> cpus);

}  // namespace edgeprobe::placement
