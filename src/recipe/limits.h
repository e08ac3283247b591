// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// Limits on a recipe's text (docs/reference/limits.md); larger sizes are refused during parsing.
namespace edgeprobe::recipe {

inline constexpr int kMostSide = 16384;
inline constexpr std::int64_t kMostPixels = 100'000'000;
inline constexpr std::size_t kMostSteps = 64, kMostRecipeText = 65536;

}  // namespace edgeprobe::recipe
