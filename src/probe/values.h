#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

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

/// The largest value that is not NaN; minus infinity when there is none.
double largest(const Logged& logged, ByteView bytes);

}  // namespace edgeprobe::probe
