// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)

#include <immintrin.h>

#include <cstring>

#include "compare/metrics/kernel_sets.h"

#define EDGEPROBE_TARGET __attribute__((target("avx2,fma,bmi")))
#define LANES static EDGEPROBE_TARGET __attribute__((always_inline)) inline

namespace edgeprobe::compare {
namespace {

struct Lanes8 {
  static constexpr std::size_t kWidth = 8, kRegisters = 16;
  using F = __m256;
  using I = __m256i;
  using K = __m256;

  LANES F splat(float v) { return _mm256_set1_ps(v); }
  LANES I splat_int(int v) { return _mm256_set1_epi32(v); }
  LANES F add(F a, F b) { return _mm256_add_ps(a, b); }
  LANES F sub(F a, F b) { return _mm256_sub_ps(a, b); }
  LANES F fma(F a, F b, F c) { return _mm256_fmadd_ps(a, b, c); }
  LANES F abs(F a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.f), a); }
  LANES F min(F a, F b) { return _mm256_min_ps(a, b); }
  LANES F max(F a, F b) { return _mm256_max_ps(a, b); }
  LANES K all() { return _mm256_castsi256_ps(_mm256_set1_epi32(-1)); }
  LANES K first(std::size_t n) {
    const I lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), lane));
  }
  LANES K both(K a, K b) { return _mm256_and_ps(a, b); }
  LANES K below(F a, F b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
  LANES K equal(F a, F b) { return _mm256_cmp_ps(a, b, _CMP_EQ_OQ); }
  LANES unsigned bits(K k) { return static_cast<unsigned>(_mm256_movemask_ps(k)); }
  LANES F keep(K k, F a) { return _mm256_and_ps(k, a); }
  LANES F select(K k, F yes, F no) { return _mm256_blendv_ps(no, yes, k); }
  LANES I tally(I count, K k) { return _mm256_sub_epi32(count, _mm256_castps_si256(k)); }
  LANES std::uint64_t total_int(I a) {
    std::uint32_t lane[8];
    std::memcpy(lane, &a, sizeof lane);
    std::uint64_t sum = 0;
    for (const std::uint32_t value : lane) sum += value;
    return sum;
  }
  LANES I size_bits(F a) { return _mm256_castps_si256(abs(a)); }
  LANES I less_one(I a) { return _mm256_add_epi32(a, splat_int(-1)); }
  LANES I min_bits(I a, I b) { return _mm256_min_epu32(a, b); }
  LANES I max_bits(I a, I b) { return _mm256_max_epu32(a, b); }
  LANES float largest(F a) {
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    four = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(four, _mm_movehdup_ps(four)));
  }
  LANES void add_to(double* p, F a) {
    _mm256_storeu_pd(p,
                     _mm256_add_pd(_mm256_loadu_pd(p), _mm256_cvtps_pd(_mm256_castps256_ps128(a))));
    _mm256_storeu_pd(
        p + 4, _mm256_add_pd(_mm256_loadu_pd(p + 4), _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1))));
  }

  template <Element kElement>
  LANES F load(const std::byte* data, std::size_t i, F scale, F zero) {
    if constexpr (kElement == Element::kFloat32) {
      return _mm256_loadu_ps(reinterpret_cast<const float*>(data + i * 4));
    } else {
      const __m128i codes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(data + i));
      const I wide =
          kElement == Element::kInt8 ? _mm256_cvtepi8_epi32(codes) : _mm256_cvtepu8_epi32(codes);
      return _mm256_mul_ps(_mm256_sub_ps(_mm256_cvtepi32_ps(wide), zero), scale);
    }
  }
  template <Element kElement>
  LANES F load_part(const std::byte* data, std::size_t i, std::size_t n, F scale, F zero) {
    if constexpr (kElement == Element::kFloat32) {
      const I mask = _mm256_castps_si256(first(n));
      return _mm256_maskload_ps(reinterpret_cast<const float*>(data + i * 4), mask);
    } else {
      std::byte buffer[8] = {};
      for (std::size_t k = 0; k < n; ++k) buffer[k] = data[i + k];
      return load<kElement>(buffer, 0, scale, zero);
    }
  }
};

struct Bytes32 {
  static constexpr std::size_t kWidth = 32;
  using V = __m256i;
  using Sum = __m256i;       // four sums of 64 bits
  using Products = __m256i;  // eight sums of products in 32 bits
  struct Narrow {
    __m256i low, high;  // columns 0 to 7 and 16 to 23; 8 to 15 and 24 to 31
  };
  struct Columns {
    __m256i part[4];  // part k: columns 4 k to 4 k + 3 and 16 + 4 k to 16 + 4 k + 3
  };

  LANES V load(const std::byte* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  LANES void store(std::byte* p, V v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
  LANES V splat(int code) { return _mm256_set1_epi8(static_cast<char>(code)); }
  LANES V either(V a, V b) { return _mm256_xor_si256(a, b); }
  LANES V min(V a, V b) { return _mm256_min_epu8(a, b); }
  LANES V max(V a, V b) { return _mm256_max_epu8(a, b); }
  LANES V distance(V a, V b) { return _mm256_sub_epi8(max(a, b), min(a, b)); }
  LANES V tally_equal(V count, V a, V b) { return _mm256_sub_epi8(count, _mm256_cmpeq_epi8(a, b)); }
  LANES Sum no_sum() { return _mm256_setzero_si256(); }
  LANES Sum add_bytes(Sum sum, V v) {
    return _mm256_add_epi64(sum, _mm256_sad_epu8(v, _mm256_setzero_si256()));
  }
  LANES std::uint64_t total(Sum sum) {
    std::uint64_t lane[4];
    std::memcpy(lane, &sum, sizeof lane);
    return lane[0] + lane[1] + lane[2] + lane[3];
  }
  LANES Products no_products() { return _mm256_setzero_si256(); }
  LANES Products add_products(Products sum, V v) {
    const __m256i even = _mm256_and_si256(v, _mm256_set1_epi16(0xff)),
                  odd = _mm256_srli_epi16(v, 8);
    return _mm256_add_epi32(
        sum, _mm256_add_epi32(_mm256_madd_epi16(even, even), _mm256_madd_epi16(odd, odd)));
  }
  LANES std::int64_t total_products(Products sum) {
    std::int32_t lane[8];
    std::memcpy(lane, &sum, sizeof lane);
    std::int64_t all = 0;
    for (const std::int32_t value : lane) all += value;
    return all;
  }
  LANES Narrow no_narrow() { return {_mm256_setzero_si256(), _mm256_setzero_si256()}; }
  // Interleaves two rows, so that one multiplication squares and adds both.
  LANES void add_small_squares(Narrow& sums, V even, V odd) {
    const __m256i low = _mm256_unpacklo_epi8(even, odd), high = _mm256_unpackhi_epi8(even, odd);
    sums.low = _mm256_add_epi16(sums.low, _mm256_maddubs_epi16(low, low));
    sums.high = _mm256_add_epi16(sums.high, _mm256_maddubs_epi16(high, high));
  }
  LANES Columns no_columns() {
    const __m256i none = _mm256_setzero_si256();
    return {{none, none, none, none}};
  }
  LANES void widen(Columns& sums, const Narrow& narrow) {
    const __m256i none = _mm256_setzero_si256();
    const __m256i wide[4] = {
        _mm256_unpacklo_epi16(narrow.low, none), _mm256_unpackhi_epi16(narrow.low, none),
        _mm256_unpacklo_epi16(narrow.high, none), _mm256_unpackhi_epi16(narrow.high, none)};
    for (int k = 0; k < 4; ++k) sums.part[k] = _mm256_add_epi32(sums.part[k], wide[k]);
  }
  LANES void add_squares(Columns& sums, V even, V odd) {
    const __m256i none = _mm256_setzero_si256(), low = _mm256_unpacklo_epi8(even, odd),
                  high = _mm256_unpackhi_epi8(even, odd);
    const __m256i wide[4] = {_mm256_unpacklo_epi8(low, none), _mm256_unpackhi_epi8(low, none),
                             _mm256_unpacklo_epi8(high, none), _mm256_unpackhi_epi8(high, none)};
    for (int k = 0; k < 4; ++k)
      sums.part[k] = _mm256_add_epi32(sums.part[k], _mm256_madd_epi16(wide[k], wide[k]));
  }
  LANES void add_to(std::uint32_t* columns, const Columns& sums) {
    const auto add = [](std::uint32_t* at, __m256i eight) EDGEPROBE_TARGET {
      __m256i* const p = reinterpret_cast<__m256i*>(at);
      _mm256_storeu_si256(p, _mm256_add_epi32(_mm256_loadu_si256(p), eight));
    };
    add(columns, _mm256_permute2x128_si256(sums.part[0], sums.part[1], 0x20));
    add(columns + 8, _mm256_permute2x128_si256(sums.part[2], sums.part[3], 0x20));
    add(columns + 16, _mm256_permute2x128_si256(sums.part[0], sums.part[1], 0x31));
    add(columns + 24, _mm256_permute2x128_si256(sums.part[2], sums.part[3], 0x31));
  }
};

#include "compare/metrics/kernel_codes.h"

// Uses the functions of kernel_codes.h.
#include "compare/metrics/kernel_body.h"

}  // namespace

const Kernels& avx2_kernels() {
  static const Kernels set = make_kernels<Lanes8, Bytes32>("avx2");
  return set;
}

}  // namespace edgeprobe::compare

#endif
