// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/tensor.h"
#include "diagnose/postprocessing/fewest/frame.h"

/// Frames that nobody recorded, made of recorded ones: on which of them would two recipes answer
/// differently?
namespace edgeprobe::diagnose::fewest {

/// Stored numbers of a tensor, which can be changed. Numbers beyond the type are clamped.
class StoredNumbers {
 public:
  explicit StoredNumbers(const Tensor& tensor) : tensor_(tensor) {
    if (auto values = stored_as_float(tensor)) values_ = *std::move(values);
  }
  std::size_t size() const { return values_.size(); }
  float& operator[](std::size_t i) { return values_[i]; }
  float operator[](std::size_t i) const { return values_[i]; }
  bool are_real() const { return tensor_.spec.dtype == DType::kFloat32; }

  /// The tensor with what the numbers are now; as it was where it has another type than a usual
  /// output or input.
  Tensor tensor() const {
    Tensor out = tensor_;
    switch (out.spec.dtype) {
      case DType::kFloat32: write<float>(out); break;
      case DType::kInt8: write<std::int8_t>(out); break;
      case DType::kUInt8: write<std::uint8_t>(out); break;
      case DType::kInt16: write<std::int16_t>(out); break;
      case DType::kInt32: write<std::int32_t>(out); break;
      case DType::kInt64: write<std::int64_t>(out); break;
      default: break;
    }
    return out;
  }

 private:
  template <class Type>
  void write(Tensor& out) const {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      Type stored = static_cast<Type>(0);
      if constexpr (std::is_floating_point_v<Type>) {
        stored = values_[i];
      } else {
        // Largest float that does not round up beyond the type.
        const double least = static_cast<double>(std::numeric_limits<Type>::lowest());
        const double most = std::min(static_cast<double>(std::numeric_limits<Type>::max()), 9e15);
        stored = static_cast<Type>(
            std::clamp(std::nearbyint(double{values_[i]}), std::max(least, -9e15), most));
      }
      std::memcpy(out.bytes.data() + i * sizeof(Type), &stored, sizeof(Type));
    }
  }

  Tensor tensor_;
  std::vector<float> values_;
};

/// Every k-th number is another one of 0..1, without a pattern.
inline double scattered(std::size_t k) {
  return std::fmod(
      0.5 + 0.6180339887498949 * static_cast<double>(k) + 0.37 * static_cast<double>((k * k) % 13),
      1.0);
}

/// Pictures of shapes that the frames' have not, each in words; no larger than a screen.
inline std::vector<std::pair<std::string, postprocess::detection::Size>> other_pictures(
    std::span<const PlacedFrame> frames) {
  bool is_upright = false, is_wide = false, is_square = false, is_known = false, is_one = true;
  for (const PlacedFrame& frame : frames) {
    const auto& [width, height] = frame.picture;
    is_known = is_known || width > 1 || height > 1;
    is_upright = is_upright || height > width;
    is_wide = is_wide || width > height;
    is_square = is_square || width == height;
    is_one =
        is_one && width == frames.front().picture.width && height == frames.front().picture.height;
  }
  std::vector<std::pair<std::string, postprocess::detection::Size>> out;
  if (!is_known) return out;
  if (!is_upright) out.push_back({"an upright picture", {360, 480}});
  if (!is_wide) out.push_back({"a wide picture", {480, 360}});
  if (!is_square) out.push_back({"a square picture", {400, 400}});
  if (is_one) {
    const auto [width, height] = frames.front().picture;
    const double scale = 400 / std::max(width, height);
    out.push_back({"a picture of another size",
                   {std::round(0.8 * scale * width + 1), std::round(0.8 * scale * height + 1)}});
  }
  out.push_back({"a picture with other proportions, such as 2 : 1", {640, 320}});
  out.push_back({"a picture with other proportions, such as 1 : 2", {320, 640}});
  return out;
}

}  // namespace edgeprobe::diagnose::fewest
