#if defined(__x86_64__)

#include <immintrin.h>

#include <cstring>

#include "compare/kernel_sets.h"

#define EDGEPROBE_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi")))
#define LANES static EDGEPROBE_TARGET __attribute__((always_inline)) inline

namespace edgeprobe::compare {
namespace {

struct Lanes16 {
  static constexpr std::size_t kWidth = 16;
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
  LANES I select_int(K k, I yes, I no) { return _mm512_mask_mov_epi32(no, k, yes); }
  LANES I tally(I count, K k) { return _mm512_mask_add_epi32(count, k, count, _mm512_set1_epi32(1)); }
  LANES std::uint64_t total_int(I a) { return static_cast<std::uint32_t>(_mm512_reduce_add_epi32(a)); }
  LANES float largest(F a) { return _mm512_reduce_max_ps(a); }
  LANES F load_floats(const float* p) { return _mm512_loadu_ps(p); }
  LANES void store(float* p, F a) { _mm512_storeu_ps(p, a); }
  LANES void add_to(double* p, F a) {
    _mm512_storeu_pd(p, _mm512_add_pd(_mm512_loadu_pd(p), _mm512_cvtps_pd(_mm512_castps512_ps256(a))));
    _mm512_storeu_pd(p + 8, _mm512_add_pd(_mm512_loadu_pd(p + 8), _mm512_cvtps_pd(_mm512_extractf32x8_ps(a, 1))));
  }
  LANES void add_to(std::uint32_t* p, I a) {
    _mm512_storeu_si512(p, _mm512_add_epi32(_mm512_loadu_si512(p), a));
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
    else
      return dequantised<kElement>(_mm_maskz_loadu_epi8(first(n), data + i), scale, zero);
  }

 private:
  template <Element kElement>
  LANES F dequantised(__m128i codes, F scale, F zero) {
    const I wide = kElement == Element::kInt8 ? _mm512_cvtepi8_epi32(codes) : _mm512_cvtepu8_epi32(codes);
    return _mm512_mul_ps(_mm512_sub_ps(_mm512_cvtepi32_ps(wide), zero), scale);
  }
};

#include "compare/kernel_body.h"

}  // namespace

const Kernels& avx512_kernels() {
  static const Kernels set = make_kernels<Lanes16>("avx512");
  return set;
}

}  // namespace edgeprobe::compare

#endif
