// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "precision/sums/number_format.h"
#include "precision/sums/operation.h"

namespace edgeprobe::precision {

/// Bits of the magnitude: they increase with it, infinity and NaN last.
inline std::uint32_t size_bits(float value) {
  return std::bit_cast<std::uint32_t>(value) & 0x7fffffffU;
}

/// s[i] += x * w[i], in binary16 if `half`. Returns the largest of `most` and all size_bits(s[i]).
std::uint32_t add_scaled(float* s, float x, const float* w, std::size_t n, bool half,
                         std::uint32_t most);
/// s[i] += x[i] * w[i]
std::uint32_t add_products(float* s, const float* x, const float* w, std::size_t n, bool half,
                           std::uint32_t most);

/// A row of accumulators.
class Row {
 public:
  Row(std::size_t width, Accumulator accumulator)
      : sums_(width),
        before_(accumulator == Accumulator::kFloat16Blocks ? width : 0),
        half_(accumulator != Accumulator::kFloat32) {}
  void clear() {
    std::fill(sums_.begin(), sums_.end(), 0.0F);
    std::fill(before_.begin(), before_.end(), 0.0F);
    terms_ = 0;
  }
  /// sums[i] += x * w[i]
  void add(float x, const float* w) {
    next();
    largest_ = add_scaled(sums_.data(), x, w, sums_.size(), half_, largest_);
  }
  /// sums[i] += x[i] * w[i]
  void add(const float* x, const float* w) {
    next();
    largest_ = add_products(sums_.data(), x, w, sums_.size(), half_, largest_);
  }
  float finish(std::size_t i, float bias) {
    const float all = before_.empty() ? sums_[i] : to_float16(before_[i] + sums_[i]);
    largest_ = std::max(largest_, size_bits(all));
    return half_ ? to_float16(all + bias) : all + bias;
  }
  double largest() const {
    const auto size = std::bit_cast<float>(largest_);
    return size == size ? size : std::numeric_limits<double>::infinity();
  }

 private:
  void next() {
    if (before_.empty() || terms_++ % kBlock != 0) return;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      before_[i] = to_float16(before_[i] + sums_[i]);
      largest_ = std::max(largest_, size_bits(before_[i]));
      sums_[i] = 0;
    }
  }

  std::vector<float> sums_, before_;  ///< Sums of this block, and of earlier ones.
  bool half_;
  std::size_t terms_ = 0;
  std::uint32_t largest_ = 0;  ///< As size_bits().
};

}  // namespace edgeprobe::precision
