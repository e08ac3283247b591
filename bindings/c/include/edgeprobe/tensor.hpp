// SPDX-License-Identifier: Apache-2.0
// Tensors in the application's own form: pointers, std::vector, std::array, spans. Nothing is
// copied before the call.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

#include "edgeprobe/types.hpp"

namespace edgeprobe {
inline namespace v1 {

/// The dtype of T. Specialise this for a library's own 16-bit float:
///   template <> struct edgeprobe::DtypeOf<Eigen::half> {
///     static constexpr edgeprobe_dtype value = EDGEPROBE_FLOAT16;
///   };
template <class T, class = void>
struct DtypeOf;

namespace detail {

template <class T>
constexpr edgeprobe_dtype integer_dtype() {
  constexpr bool is_signed = std::is_signed_v<T>;
  if constexpr (sizeof(T) == 1) return is_signed ? EDGEPROBE_INT8 : EDGEPROBE_UINT8;
  if constexpr (sizeof(T) == 2) return is_signed ? EDGEPROBE_INT16 : EDGEPROBE_UINT16;
  if constexpr (sizeof(T) == 4) return is_signed ? EDGEPROBE_INT32 : EDGEPROBE_UINT32;
  return is_signed ? EDGEPROBE_INT64 : EDGEPROBE_UINT64;
}

/// The type of a container's values, for anything that std::data() supports.
template <class Container>
using Value = std::remove_cv_t<
    std::remove_reference_t<decltype(*std::data(std::declval<const Container&>()))>>;

template <class T, class = void>
struct IsKnown : std::false_type {};
template <class T>
struct IsKnown<T, std::void_t<decltype(DtypeOf<T>::value)>> : std::true_type {};

template <class T, class = void>
struct IsContainer : std::false_type {};
template <class T>
struct IsContainer<T, std::void_t<Value<T>, decltype(std::size(std::declval<const T&>()))>>
    : IsKnown<Value<T>> {};

}  // namespace detail

template <class T>
struct DtypeOf<
    T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8>> {
  static constexpr edgeprobe_dtype value = detail::integer_dtype<T>();
};
template <>
struct DtypeOf<float> {
  static constexpr edgeprobe_dtype value = EDGEPROBE_FLOAT32;
};
template <>
struct DtypeOf<double> {
  static constexpr edgeprobe_dtype value = EDGEPROBE_FLOAT64;
};
template <>
struct DtypeOf<bool> {
  static constexpr edgeprobe_dtype value = EDGEPROBE_BOOL;
};
template <>
struct DtypeOf<std::byte> {
  static constexpr edgeprobe_dtype value = EDGEPROBE_UINT8;
};

/// Outermost dimension first; at most EDGEPROBE_MAX_RANK dimensions of any integer type: {1,
/// height, width, 3}.
class Shape {
 public:
  Shape() = default;  ///< A scalar.
  template <class... Integer, class = std::enable_if_t<(sizeof...(Integer) > 0) &&
                                                       (std::is_integral_v<Integer> && ...)>>
  Shape(Integer... dimensions) noexcept {
    const std::int64_t list[] = {static_cast<std::int64_t>(dimensions)...};
    assign(list, sizeof...(Integer));
  }
  template <class Container, class = std::enable_if_t<detail::IsContainer<Container>::value>>
  Shape(const Container& dimensions) noexcept {
    assign(std::data(dimensions), std::size(dimensions));
  }
  template <class Integer>
  Shape(const Integer* dimensions, std::size_t rank) noexcept {
    assign(dimensions, rank);
  }
  const std::int64_t* data() const noexcept { return dimensions_.data(); }
  /// EDGEPROBE_MAX_RANK + 1 if there were too many: the call is then refused with a message.
  std::uint32_t rank() const noexcept { return rank_; }

 private:
  template <class Integer>
  void assign(const Integer* dimensions, std::size_t rank) noexcept {
    rank_ = static_cast<std::uint32_t>(rank < dimensions_.size() ? rank : dimensions_.size());
    for (std::uint32_t i = 0; i < rank_; ++i)
      dimensions_[i] = static_cast<std::int64_t>(dimensions[i]);
  }

  std::array<std::int64_t, EDGEPROBE_MAX_RANK + 1> dimensions_{};
  std::uint32_t rank_ = 0;
};

/// real = scale * (stored - zero_point). The arrays must live until the call returns.
struct Quantization {
  const float* scale = nullptr;
  const std::int64_t* zero_point = nullptr;
  std::uint32_t count = 0;  ///< One, or one for each index along `axis`.
  std::int32_t axis = 0;
};

/// Properties of a tensor besides its values.
struct Details {
  /// Index among the model's inputs or outputs, or of the layer; -1: unknown.
  std::int32_t position = -1;
  Quantization quantization = {};
  const char* layer_type = nullptr;  ///< "CONV_2D"
};

}  // namespace v1
}  // namespace edgeprobe
