// SPDX-License-Identifier: Apache-2.0
#include "probe/values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace edgeprobe::probe {
namespace {

template <class T>
void widen(const std::byte* from, std::size_t count, double* to) {
  for (std::size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, from + i * sizeof value, sizeof value);
    to[i] = static_cast<double>(value);
  }
}

void widen_half(const std::byte* from, std::size_t count, double* to,
                float (*convert)(std::uint16_t)) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t bits;
    std::memcpy(&bits, from + 2 * i, 2);
    to[i] = static_cast<double>(convert(bits));
  }
}

void widen(DType dtype, const std::byte* from, std::size_t count, double* to) {
  switch (dtype) {
    case DType::kFloat32: return widen<float>(from, count, to);
    case DType::kFloat64: return widen<double>(from, count, to);
    case DType::kFloat16: return widen_half(from, count, to, half_to_float);
    case DType::kBFloat16: return widen_half(from, count, to, bfloat16_to_float);
    case DType::kInt8: return widen<std::int8_t>(from, count, to);
    case DType::kUInt8:
    case DType::kBool: return widen<std::uint8_t>(from, count, to);
    case DType::kInt16: return widen<std::int16_t>(from, count, to);
    case DType::kUInt16: return widen<std::uint16_t>(from, count, to);
    case DType::kInt32: return widen<std::int32_t>(from, count, to);
    case DType::kUInt32: return widen<std::uint32_t>(from, count, to);
    case DType::kInt64: return widen<std::int64_t>(from, count, to);
    case DType::kUInt64: return widen<std::uint64_t>(from, count, to);
    case DType::kInt4:
    case DType::kOther: break;
  }
  std::fill_n(to, count, std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

Values::Values(const Logged& logged, ByteView bytes)
    : logged_(&logged),
      bytes_(bytes),
      width_(std::max<std::size_t>(1, size_of(logged.dtype))),
      count_(bytes.size / width_) {
  if (logged.scale_count > 1)
    for (std::uint32_t i = static_cast<std::uint32_t>(logged.axis) + 1; i < logged.rank; ++i)
      inner_ *= static_cast<std::size_t>(logged.shape[i]);
}

std::size_t Values::read(std::size_t first, std::array<double, kBlock>& out) const {
  const std::size_t count = std::min(kBlock, count_ - first);
  widen(logged_->dtype, bytes_.data + first * width_, count, out.data());
  if (logged_->scale_count == 0) return count;
  const auto zero = [&](std::size_t i) {
    return logged_->zero_point ? static_cast<double>(logged_->zero_point[i]) : 0.0;
  };
  if (logged_->scale_count == 1) {
    const double scale = static_cast<double>(logged_->scale[0]), zero_point = zero(0);
    for (std::size_t i = 0; i < count; ++i) out[i] = scale * (out[i] - zero_point);
    return count;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t channel = (first + i) / inner_ % logged_->scale_count;
    out[i] = static_cast<double>(logged_->scale[channel]) * (out[i] - zero(channel));
  }
  return count;
}

Extent extent_of(const Logged& logged, ByteView bytes) {
  const Values values(logged, bytes);
  std::array<double, Values::kBlock> block;
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  double least = kInfinite, most = -kInfinite;
  bool is_whole = true;
  for (std::size_t at = 0; at < values.count();) {
    const std::size_t count = values.read(at, block);
    // The comparison is false for NaN.
    for (std::size_t i = 0; i < count; ++i) {
      most = block[i] > most ? block[i] : most;
      least = block[i] < least ? block[i] : least;
    }
    for (std::size_t i = 0; is_whole && i < count; ++i)
      is_whole = block[i] != block[i] || block[i] == std::nearbyint(block[i]);
    at += count;
  }
  return {least, most, is_whole && least <= most};
}

}  // namespace edgeprobe::probe
