// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace edgeprobe::names {

inline constexpr std::size_t kMostFileBytes = std::size_t{16} << 20;
inline constexpr int kMostClasses = 1'000'000;

/// Names by class number, "" where the file has none; the last one is not empty.
using Names = std::vector<std::string>;

}  // namespace edgeprobe::names
