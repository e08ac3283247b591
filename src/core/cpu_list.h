// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace edgeprobe {

/// Largest accepted CPU number. Without a limit, a text such as "0-99999999999" would use up the
/// memory.
inline constexpr int kHighestCpu = 4095;

/// Parses a CPU list in the form of the kernel, "0,2-3", in that order; empty for an empty text.
/// nullopt for anything else, and for numbers above kHighestCpu.
std::optional<std::vector<int>> cpu_list_from_text(std::string_view text);

/// "0,2-3" for ascending numbers.
std::string cpu_list_text(const std::vector<int>& cpus);

/// Bit N is CPU N, in hexadecimal without a prefix, as taskset prints it: {6, 7} is "c0".
std::string cpu_mask_text(const std::vector<int>& cpus);

}  // namespace edgeprobe
