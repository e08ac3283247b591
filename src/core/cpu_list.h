// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace edgeprobe {

/// Higher numbers are no CPUs: a text such as "0-99999999999" must not cost memory.
inline constexpr int kHighestCpu = 4095;

/// CPU numbers of a text as people and the kernel write it, "0,2-3", in that order; none for an
/// empty text. Nothing for anything else, and for numbers above kHighestCpu.
std::optional<std::vector<int>> cpu_list_from_text(std::string_view text);

/// "0,2-3" of ascending numbers.
std::string cpu_list_text(const std::vector<int>& cpus);

/// Bit N stands for CPU N, in hexadecimal without a prefix, as taskset has it: {6, 7} is "c0".
std::string cpu_mask_text(const std::vector<int>& cpus);

}  // namespace edgeprobe
