// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace edgeprobe {

/// Index of a layer or tensor that a file numbers from 0. The caller excludes -1 (none).
constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace edgeprobe
