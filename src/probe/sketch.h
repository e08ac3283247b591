// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "probe/logged.h"

namespace edgeprobe::probe {

/// What stands in place of a tensor (docs/reference/trace-format.md, "What a probe adds"): count,
/// NaNs, infinities, zeros, least, greatest, sum, sum of squares, then a histogram.
inline constexpr std::size_t kSketchBins = 64, kSketchLength = 8 + kSketchBins,
                             kSketchSample = 4096;

/// `bytes` must fit the shape and dtype of `logged`. Without a finite value, least and greatest are
/// NaN.
std::array<double, kSketchLength> sketch(const Logged& logged, ByteView bytes);

/// Values as stored at places that depend on their number and `seed` alone; `out` keeps its memory.
void sample(std::size_t width, ByteView bytes, std::uint64_t seed, Bytes& out);

}  // namespace edgeprobe::probe
