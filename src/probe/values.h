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
  /// The values from `first` on, at most kBlock; returns how many.
  std::size_t read(std::size_t first, std::array<double, kBlock>& out) const;

 private:
  const Logged* logged_;
  ByteView bytes_;
  std::size_t width_, count_;
  std::size_t inner_ = 1;  ///< Values from one index of the quantised axis to the next.
};

/// Where a tensor's values lie; what is NaN does not count. Without a value, least is infinite and
/// most minus infinite.
struct Extent {
  double least, most;
  bool is_whole;  ///< There are values, and all are whole numbers: classes, counts.
  /// They may be scores: fractions from 0 to 1. True where all are NaN.
  bool is_score() const { return !(least < 0) && !(most > 1) && !is_whole; }
};
Extent extent_of(const Logged& logged, ByteView bytes);

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
