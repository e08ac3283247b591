// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace edgeprobe {

/// Place of a layer or tensor that a file numbers from 0; -1, for none, is the caller's to exclude.
constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace edgeprobe
