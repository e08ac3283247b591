// SPDX-License-Identifier: Apache-2.0
#if defined(__aarch64__)

#include <arm_neon.h>

#include <cstring>

#include "compare/metrics/kernel_sets.h"

#define EDGEPROBE_TARGET
#define LANES static __attribute__((always_inline)) inline

namespace edgeprobe::compare {
namespace {

struct NeonLanes {
  static constexpr std::size_t kWidth = 4, kRegisters = 32;
  using F = float32x4_t;
  using I = uint32x4_t;
  using K = uint32x4_t;

  LANES F splat(float v) { return vdupq_n_f32(v); }
  LANES I splat_int(int v) { return vdupq_n_u32(static_cast<std::uint32_t>(v)); }
  LANES F add(F a, F b) { return vaddq_f32(a, b); }
  LANES F sub(F a, F b) { return vsubq_f32(a, b); }
  LANES F fma(F a, F b, F c) { return vfmaq_f32(c, a, b); }
  LANES F abs(F a) { return vabsq_f32(a); }
  LANES F min(F a, F b) { return vminq_f32(a, b); }
  LANES F max(F a, F b) { return vmaxq_f32(a, b); }
  LANES K all() { return vdupq_n_u32(~0u); }
  LANES K first(std::size_t n) {
    constexpr std::uint32_t kLane[4] = {0, 1, 2, 3};
    return vcltq_u32(vld1q_u32(kLane), vdupq_n_u32(static_cast<std::uint32_t>(n)));
  }
  LANES K both(K a, K b) { return vandq_u32(a, b); }
  LANES K below(F a, F b) { return vcltq_f32(a, b); }
  LANES K equal(F a, F b) { return vceqq_f32(a, b); }
  LANES unsigned bits(K k) {
    constexpr std::uint32_t kBit[4] = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(k, vld1q_u32(kBit)));
  }
  LANES F keep(K k, F a) { return vreinterpretq_f32_u32(vandq_u32(k, vreinterpretq_u32_f32(a))); }
  LANES F select(K k, F yes, F no) { return vbslq_f32(k, yes, no); }
  LANES I tally(I count, K k) { return vsubq_u32(count, k); }
  LANES std::uint64_t total_int(I a) { return vaddlvq_u32(a); }
  LANES I size_bits(F a) { return vreinterpretq_u32_f32(vabsq_f32(a)); }
  LANES I less_one(I a) { return vsubq_u32(a, vdupq_n_u32(1)); }
  LANES I min_bits(I a, I b) { return vminq_u32(a, b); }
  LANES I max_bits(I a, I b) { return vmaxq_u32(a, b); }
  LANES float largest(F a) { return vmaxvq_f32(a); }
  LANES void add_to(double* p, F a) {
    vst1q_f64(p, vaddq_f64(vld1q_f64(p), vcvt_f64_f32(vget_low_f32(a))));
    vst1q_f64(p + 2, vaddq_f64(vld1q_f64(p + 2), vcvt_high_f64_f32(a)));
  }

  template <Element kElement>
  LANES F load(const std::byte* data, std::size_t i, F scale, F zero) {
    if constexpr (kElement == Element::kFloat32) {
      return vreinterpretq_f32_u8(vld1q_u8(reinterpret_cast<const std::uint8_t*>(data + i * 4)));
    } else {
      std::uint32_t four;
      std::memcpy(&four, data + i, 4);
      const uint8x8_t codes = vreinterpret_u8_u32(vdup_n_u32(four));
      F value;
      if constexpr (kElement == Element::kInt8)
        value = vcvtq_f32_s32(vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_u8(codes)))));
      else value = vcvtq_f32_u32(vmovl_u16(vget_low_u16(vmovl_u8(codes))));
      return vmulq_f32(vsubq_f32(value, zero), scale);
    }
  }
  template <Element kElement>
  LANES F load_part(const std::byte* data, std::size_t i, std::size_t n, F scale, F zero) {
    std::byte buffer[16] = {};
    std::memcpy(buffer, data + i * size_of(kElement), n * size_of(kElement));
    return load<kElement>(buffer, 0, scale, zero);
  }
};

struct NeonBytes {
  static constexpr std::size_t kWidth = 16;
  using V = uint8x16_t;
  using Sum = uint32x4_t;
  using Products = uint64x2_t;
  struct Narrow {
    uint16x8_t low, high;
  };
  struct Columns {
    uint32x4_t part[4];
  };

  LANES V load(const std::byte* p) { return vld1q_u8(reinterpret_cast<const std::uint8_t*>(p)); }
  LANES void store(std::byte* p, V v) { vst1q_u8(reinterpret_cast<std::uint8_t*>(p), v); }
  LANES V splat(int code) { return vdupq_n_u8(static_cast<std::uint8_t>(code)); }
  LANES V either(V a, V b) { return veorq_u8(a, b); }
  LANES V min(V a, V b) { return vminq_u8(a, b); }
  LANES V max(V a, V b) { return vmaxq_u8(a, b); }
  LANES V distance(V a, V b) { return vabdq_u8(a, b); }
  LANES V tally_equal(V count, V a, V b) { return vsubq_u8(count, vceqq_u8(a, b)); }
  LANES Sum no_sum() { return vdupq_n_u32(0); }
  LANES Sum add_bytes(Sum sum, V v) { return vpadalq_u16(sum, vpaddlq_u8(v)); }
  LANES std::uint64_t total(Sum sum) { return vaddlvq_u32(sum); }
  LANES Products no_products() { return vdupq_n_u64(0); }
  LANES Products add_products(Products sum, V v) {
    const uint32x4_t now =
        vpadalq_u16(vpaddlq_u16(vmull_u8(vget_low_u8(v), vget_low_u8(v))), vmull_high_u8(v, v));
    return vpadalq_u32(sum, now);
  }
  LANES std::int64_t total_products(Products sum) {
    return static_cast<std::int64_t>(vaddvq_u64(sum));
  }
  LANES Narrow no_narrow() { return {vdupq_n_u16(0), vdupq_n_u16(0)}; }
  LANES void add_small_squares(Narrow& sums, V even, V odd) {
    sums.low = vmlal_u8(sums.low, vget_low_u8(even), vget_low_u8(even));
    sums.high = vmlal_high_u8(sums.high, even, even);
    sums.low = vmlal_u8(sums.low, vget_low_u8(odd), vget_low_u8(odd));
    sums.high = vmlal_high_u8(sums.high, odd, odd);
  }
  LANES Columns no_columns() {
    const uint32x4_t none = vdupq_n_u32(0);
    return {{none, none, none, none}};
  }
  LANES void widen(Columns& sums, const Narrow& narrow) {
    sums.part[0] = vaddw_u16(sums.part[0], vget_low_u16(narrow.low));
    sums.part[1] = vaddw_high_u16(sums.part[1], narrow.low);
    sums.part[2] = vaddw_u16(sums.part[2], vget_low_u16(narrow.high));
    sums.part[3] = vaddw_high_u16(sums.part[3], narrow.high);
  }
  LANES void add_row(Columns& sums, V d) {
    widen(sums, {vmull_u8(vget_low_u8(d), vget_low_u8(d)), vmull_high_u8(d, d)});
  }
  LANES void add_squares(Columns& sums, V even, V odd) {
    add_row(sums, even);
    add_row(sums, odd);
  }
  LANES void add_to(std::uint32_t* columns, const Columns& sums) {
    for (int k = 0; k < 4; ++k, columns += 4)
      vst1q_u32(columns, vaddq_u32(vld1q_u32(columns), sums.part[k]));
  }
};

#include "compare/metrics/kernel_codes.h"

// Uses the functions of kernel_codes.h.
#include "compare/metrics/kernel_body.h"

}  // namespace

const Kernels& neon_kernels() {
  static const Kernels set = make_kernels<NeonLanes, NeonBytes>("neon");
  return set;
}

}  // namespace edgeprobe::compare

#endif
