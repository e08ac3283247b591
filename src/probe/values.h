// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/bytes.h"
#include "probe/logged.h"

namespace edgeprobe::probe {

/// Reads a tensor's values as real numbers, a block at a time.
class Values {
 public:
  static constexpr std::size_t kBlock = 512;
  /// `bytes` must fit the shape and dtype of `logged`; both must outlive this.
  Values(const Logged& logged, ByteView bytes);

  std::size_t count() const { return count_; }
  /// Reads the values from `first` on, at most kBlock; returns how many.
  std::size_t read(std::size_t first, std::array<double, kBlock>& out) const;

 private:
  const Logged* logged_;
  ByteView bytes_;
  std::size_t width_, count_;
  /// Distance between values of neighbouring indices on the quantised axis.
  std::size_t inner_ = 1;
};

/// Range of a tensor's values, ignoring NaN. Without a value, least is infinite and most minus
/// infinite.
struct Extent {
  double least, most;
  bool is_whole;  ///< True if there are values and all are whole numbers: classes, counts.
  /// True if the values may be scores: fractions from 0 to 1. True if all are NaN.
  bool is_score() const { return !(least < 0) && !(most > 1) && !is_whole; }
};
Extent extent_of(const Logged& logged, ByteView bytes);

/// Statistics recorded instead of a tensor (docs/reference/trace-format.md, "What a probe adds"):
/// count, NaNs, infinities, zeros, least, greatest, sum, sum of squares, then a histogram.
inline constexpr std::size_t kSketchBins = 64, kSketchLength = 8 + kSketchBins,
                             kSketchSample = 4096;

/// `bytes` must fit the shape and dtype of `logged`. Without a finite value, least and greatest are
/// NaN.
std::array<double, kSketchLength> sketch(const Logged& logged, ByteView bytes);

/// Copies stored values at positions that depend only on their count and `seed`; `out` keeps its
/// memory.
void sample(std::size_t width, ByteView bytes, std::uint64_t seed, Bytes& out);

}  // namespace edgeprobe::probe
