// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)

#include <immintrin.h>

#include <cstring>

#include "compare/metrics/kernel_sets.h"

#define EDGEPROBE_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi")))
#define LANES static EDGEPROBE_TARGET __attribute__((always_inline)) inline

namespace edgeprobe::compare {
namespace {

struct Lanes16 {
  static constexpr std::size_t kWidth = 16, kRegisters = 32;
  using F = __m512;
  using I = __m512i;
  using K = __mmask16;

  LANES F splat(float v) { return _mm512_set1_ps(v); }
  LANES I splat_int(int v) { return _mm512_set1_epi32(v); }
  LANES F add(F a, F b) { return _mm512_add_ps(a, b); }
  LANES F sub(F a, F b) { return _mm512_sub_ps(a, b); }
  LANES F fma(F a, F b, F c) { return _mm512_fmadd_ps(a, b, c); }
  LANES F abs(F a) { return _mm512_abs_ps(a); }
  LANES F min(F a, F b) { return _mm512_min_ps(a, b); }
  LANES F max(F a, F b) { return _mm512_max_ps(a, b); }
  LANES K all() { return 0xffff; }
  LANES K first(std::size_t n) { return static_cast<K>(n >= 16 ? 0xffffu : (1u << n) - 1u); }
  LANES K both(K a, K b) { return static_cast<K>(a & b); }
  LANES K below(F a, F b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
  LANES K equal(F a, F b) { return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ); }
  LANES unsigned bits(K k) { return k; }
  LANES F keep(K k, F a) { return _mm512_maskz_mov_ps(k, a); }
  LANES F select(K k, F yes, F no) { return _mm512_mask_mov_ps(no, k, yes); }
  LANES I tally(I count, K k) {
    return _mm512_mask_add_epi32(count, k, count, _mm512_set1_epi32(1));
  }
  LANES std::uint64_t total_int(I a) {
    return static_cast<std::uint32_t>(_mm512_reduce_add_epi32(a));
  }
  LANES I size_bits(F a) { return _mm512_castps_si512(abs(a)); }
  LANES I less_one(I a) { return _mm512_add_epi32(a, splat_int(-1)); }
  LANES I min_bits(I a, I b) { return _mm512_min_epu32(a, b); }
  LANES I max_bits(I a, I b) { return _mm512_max_epu32(a, b); }
  LANES float largest(F a) { return _mm512_reduce_max_ps(a); }
  LANES void add_to(double* p, F a) {
    _mm512_storeu_pd(p,
                     _mm512_add_pd(_mm512_loadu_pd(p), _mm512_cvtps_pd(_mm512_castps512_ps256(a))));
    _mm512_storeu_pd(p + 8, _mm512_add_pd(_mm512_loadu_pd(p + 8),
                                          _mm512_cvtps_pd(_mm512_extractf32x8_ps(a, 1))));
  }

  template <Element kElement>
  LANES F load(const std::byte* data, std::size_t i, F scale, F zero) {
    if constexpr (kElement == Element::kFloat32) {
      return _mm512_loadu_ps(data + i * 4);
    } else {
      const __m128i codes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(data + i));
      return dequantised<kElement>(codes, scale, zero);
    }
  }
  template <Element kElement>
  LANES F load_part(const std::byte* data, std::size_t i, std::size_t n, F scale, F zero) {
    if constexpr (kElement == Element::kFloat32)
      return _mm512_maskz_loadu_ps(first(n), data + i * 4);
    else return dequantised<kElement>(_mm_maskz_loadu_epi8(first(n), data + i), scale, zero);
  }

 private:
  template <Element kElement>
  LANES F dequantised(__m128i codes, F scale, F zero) {
    const I wide =
        kElement == Element::kInt8 ? _mm512_cvtepi8_epi32(codes) : _mm512_cvtepu8_epi32(codes);
    return _mm512_mul_ps(_mm512_sub_ps(_mm512_cvtepi32_ps(wide), zero), scale);
  }
};

struct Bytes64 {
  static constexpr std::size_t kWidth = 64;
  using V = __m512i;
  using Sum = __m512i;       // eight sums of 64 bits
  using Products = __m512i;  // sixteen sums of products in 32 bits
  struct Narrow {
    __m512i low, high;  // columns 16 q to 16 q + 7 for each quarter q; the eight after these
  };
  struct Columns {
    __m512i part[4];  // part k: columns 16 q + 4 k to 16 q + 4 k + 3 for each quarter q
  };

  LANES V load(const std::byte* p) { return _mm512_loadu_si512(p); }
  LANES void store(std::byte* p, V v) { _mm512_storeu_si512(p, v); }
  LANES V splat(int code) { return _mm512_set1_epi8(static_cast<char>(code)); }
  LANES V either(V a, V b) { return _mm512_xor_si512(a, b); }
  LANES V min(V a, V b) { return _mm512_min_epu8(a, b); }
  LANES V max(V a, V b) { return _mm512_max_epu8(a, b); }
  LANES V distance(V a, V b) { return _mm512_sub_epi8(max(a, b), min(a, b)); }
  LANES V tally_equal(V count, V a, V b) {
    return _mm512_mask_add_epi8(count, _mm512_cmpeq_epi8_mask(a, b), count, _mm512_set1_epi8(1));
  }
  LANES Sum no_sum() { return _mm512_setzero_si512(); }
  LANES Sum add_bytes(Sum sum, V v) {
    return _mm512_add_epi64(sum, _mm512_sad_epu8(v, _mm512_setzero_si512()));
  }
  LANES std::uint64_t total(Sum sum) {
    return static_cast<std::uint64_t>(_mm512_reduce_add_epi64(sum));
  }
  LANES Products no_products() { return _mm512_setzero_si512(); }
  LANES Products add_products(Products sum, V v) {
    const __m512i even = _mm512_and_si512(v, _mm512_set1_epi16(0xff)),
                  odd = _mm512_srli_epi16(v, 8);
    return _mm512_add_epi32(
        sum, _mm512_add_epi32(_mm512_madd_epi16(even, even), _mm512_madd_epi16(odd, odd)));
  }
  LANES std::int64_t total_products(Products sum) {
    std::int32_t lane[16];
    std::memcpy(lane, &sum, sizeof lane);
    std::int64_t all = 0;
    for (const std::int32_t value : lane) all += value;
    return all;
  }
  LANES Narrow no_narrow() { return {_mm512_setzero_si512(), _mm512_setzero_si512()}; }
  // Interleaves two rows, so that one multiplication squares and adds both.
  LANES void add_small_squares(Narrow& sums, V even, V odd) {
    const __m512i low = _mm512_unpacklo_epi8(even, odd), high = _mm512_unpackhi_epi8(even, odd);
    sums.low = _mm512_add_epi16(sums.low, _mm512_maddubs_epi16(low, low));
    sums.high = _mm512_add_epi16(sums.high, _mm512_maddubs_epi16(high, high));
  }
  LANES Columns no_columns() {
    const __m512i none = _mm512_setzero_si512();
    return {{none, none, none, none}};
  }
  LANES void widen(Columns& sums, const Narrow& narrow) {
    const __m512i none = _mm512_setzero_si512();
    const __m512i wide[4] = {
        _mm512_unpacklo_epi16(narrow.low, none), _mm512_unpackhi_epi16(narrow.low, none),
        _mm512_unpacklo_epi16(narrow.high, none), _mm512_unpackhi_epi16(narrow.high, none)};
    for (int k = 0; k < 4; ++k) sums.part[k] = _mm512_add_epi32(sums.part[k], wide[k]);
  }
  LANES void add_squares(Columns& sums, V even, V odd) {
    const __m512i none = _mm512_setzero_si512(), low = _mm512_unpacklo_epi8(even, odd),
                  high = _mm512_unpackhi_epi8(even, odd);
    const __m512i wide[4] = {_mm512_unpacklo_epi8(low, none), _mm512_unpackhi_epi8(low, none),
                             _mm512_unpacklo_epi8(high, none), _mm512_unpackhi_epi8(high, none)};
    for (int k = 0; k < 4; ++k)
      sums.part[k] = _mm512_add_epi32(sums.part[k], _mm512_madd_epi16(wide[k], wide[k]));
  }
  LANES void add_to(std::uint32_t* columns, const Columns& sums) {
    const auto add = [](std::uint32_t* at, __m128i four) EDGEPROBE_TARGET {
      __m128i* const p = reinterpret_cast<__m128i*>(at);
      _mm_storeu_si128(p, _mm_add_epi32(_mm_loadu_si128(p), four));
    };
    for (int k = 0; k < 4; ++k) {
      add(columns + 4 * k, _mm512_extracti32x4_epi32(sums.part[k], 0));
      add(columns + 16 + 4 * k, _mm512_extracti32x4_epi32(sums.part[k], 1));
      add(columns + 32 + 4 * k, _mm512_extracti32x4_epi32(sums.part[k], 2));
      add(columns + 48 + 4 * k, _mm512_extracti32x4_epi32(sums.part[k], 3));
    }
  }
};

#include "compare/metrics/kernel_codes.h"

// Uses the functions of kernel_codes.h.
#include "compare/metrics/kernel_body.h"

}  // namespace

const Kernels& avx512_kernels() {
  static const Kernels set = make_kernels<Lanes16, Bytes64>("avx512");
  return set;
}

}  // namespace edgeprobe::compare

#endif
