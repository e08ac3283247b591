// SPDX-License-Identifier: Apache-2.0
// Four lanes in the compiler's own vector type: SSE2 on x86-64, NEON on aarch64, plain code
// elsewhere.
#include <cstring>
#include <type_traits>

#include "compare/metrics/kernel_sets.h"

#define EDGEPROBE_TARGET

namespace edgeprobe::compare {
namespace {

struct Lanes4 {
  static constexpr std::size_t kWidth = 4, kRegisters = 16;
  using F = float __attribute__((vector_size(16)));
  using I = std::int32_t __attribute__((vector_size(16)));
  using K = I;

  static F splat(float v) { return F{v, v, v, v}; }
  static I splat_int(int v) { return I{v, v, v, v}; }
  static F add(F a, F b) { return a + b; }
  static F sub(F a, F b) { return a - b; }
  static F fma(F a, F b, F c) { return a * b + c; }
  static F abs(F a) { return as_float(as_int(a) & splat_int(0x7fffffff)); }
  static F min(F a, F b) { return a < b ? a : b; }
  static F max(F a, F b) { return a > b ? a : b; }
  static K all() { return splat_int(-1); }
  static K first(std::size_t n) { return I{0, 1, 2, 3} < splat_int(static_cast<int>(n)); }
  static K both(K a, K b) { return a & b; }
  static K below(F a, F b) { return a < b; }
  static K equal(F a, F b) { return a == b; }
  static unsigned bits(K k) { return (k[0] & 1u) | (k[1] & 2u) | (k[2] & 4u) | (k[3] & 8u); }
  static F keep(K k, F a) { return as_float(as_int(a) & k); }
  static F select(K k, F yes, F no) { return as_float((as_int(yes) & k) | (as_int(no) & ~k)); }
  static I tally(I count, K k) { return count - k; }
  static std::uint64_t total_int(I a) {
    std::uint64_t sum = 0;
    for (int lane = 0; lane < 4; ++lane) sum += static_cast<std::uint32_t>(a[lane]);
    return sum;
  }
  static I size_bits(F a) { return as_int(a) & splat_int(0x7fffffff); }
  static I less_one(I a) { return a - 1; }
  static I min_bits(I a, I b) { return as_unsigned(a) < as_unsigned(b) ? a : b; }
  static I max_bits(I a, I b) { return as_unsigned(a) > as_unsigned(b) ? a : b; }
  static float largest(F a) {
    float best = a[0];
    for (int lane = 1; lane < 4; ++lane) best = a[lane] > best ? a[lane] : best;
    return best;
  }
  static void add_to(double* p, F a) {
    for (int lane = 0; lane < 4; ++lane) p[lane] += double{a[lane]};
  }

  template <Element kElement>
  static F load(const std::byte* data, std::size_t i, F scale, F zero) {
    if constexpr (kElement == Element::kFloat32) {
      F v;
      std::memcpy(&v, data + i * 4, sizeof v);
      return v;
    } else {
      using Code = std::conditional_t<kElement == Element::kInt8, std::int8_t, std::uint8_t>;
      Code c[4];
      std::memcpy(c, data + i, 4);
      return (F{float(c[0]), float(c[1]), float(c[2]), float(c[3])} - zero) * scale;
    }
  }
  template <Element kElement>
  static F load_part(const std::byte* data, std::size_t i, std::size_t n, F scale, F zero) {
    std::byte buffer[16] = {};
    std::memcpy(buffer, data + i * size_of(kElement), n * size_of(kElement));
    return load<kElement>(buffer, 0, scale, zero);
  }

 private:
  using Unsigned = std::uint32_t __attribute__((vector_size(16)));
  static Unsigned as_unsigned(I a) { return reinterpret_cast<Unsigned>(a); }
  static I as_int(F a) {
    I bits;
    std::memcpy(&bits, &a, sizeof bits);
    return bits;
  }
  static F as_float(I a) {
    F value;
    std::memcpy(&value, &a, sizeof value);
    return value;
  }
};

// Sixteen lanes written out, for the compiler to vectorise for the processor.
struct PlainBytes {
  static constexpr std::size_t kWidth = 16;
  using V = std::uint8_t __attribute__((vector_size(16)));
  using Sum = std::uint64_t;
  using Products = std::int64_t;
  struct Narrow {
    std::uint16_t sum[kWidth];
  };
  struct Columns {
    std::uint32_t sum[kWidth];
  };

  static V load(const std::byte* p) {
    V v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }
  static void store(std::byte* p, V v) { std::memcpy(p, &v, sizeof v); }
  static V splat(int code) { return V{} + static_cast<std::uint8_t>(code); }
  static V either(V a, V b) { return a ^ b; }
  static V chosen(V mask, V yes, V no) { return (yes & mask) | (no & ~mask); }
  static V min(V a, V b) { return chosen(reinterpret_cast<V>(a < b), a, b); }
  static V max(V a, V b) { return chosen(reinterpret_cast<V>(a < b), b, a); }
  static V distance(V a, V b) { return max(a, b) - min(a, b); }
  static V tally_equal(V count, V a, V b) { return count - reinterpret_cast<V>(a == b); }
  static Sum no_sum() { return 0; }
  static Sum add_bytes(Sum sum, V v) {
    unsigned now = 0;
    for (std::size_t k = 0; k < kWidth; ++k) now += v[k];
    return sum + now;
  }
  static std::uint64_t total(Sum sum) { return sum; }
  static Products no_products() { return 0; }
  static Products add_products(Products sum, V v) {
    int now = 0;
    for (std::size_t k = 0; k < kWidth; ++k) now += v[k] * v[k];
    return sum + now;
  }
  static std::int64_t total_products(Products sum) { return sum; }
  static Narrow no_narrow() { return {}; }
  static void add_small_squares(Narrow& sums, V even, V odd) {
    for (std::size_t k = 0; k < kWidth; ++k)
      sums.sum[k] = static_cast<std::uint16_t>(sums.sum[k] + even[k] * even[k] + odd[k] * odd[k]);
  }
  static Columns no_columns() { return {}; }
  static void widen(Columns& sums, const Narrow& narrow) {
    for (std::size_t k = 0; k < kWidth; ++k) sums.sum[k] += narrow.sum[k];
  }
  static void add_squares(Columns& sums, V even, V odd) {
    for (std::size_t k = 0; k < kWidth; ++k)
      sums.sum[k] += unsigned{even[k]} * even[k] + unsigned{odd[k]} * odd[k];
  }
  static void add_to(std::uint32_t* columns, const Columns& sums) {
    for (std::size_t k = 0; k < kWidth; ++k) columns[k] += sums.sum[k];
  }
};

#include "compare/metrics/kernel_codes.h"

// Uses the functions of kernel_codes.h.
#include "compare/metrics/kernel_body.h"

}  // namespace

const Kernels& generic_kernels() {
  static const Kernels set = make_kernels<Lanes4, PlainBytes>("generic");
  return set;
}

}  // namespace edgeprobe::compare
