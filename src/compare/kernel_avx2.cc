#if defined(__x86_64__)

#include <immintrin.h>

#include <cstring>

#include "compare/kernel_sets.h"

#define EDGEPROBE_TARGET __attribute__((target("avx2,fma,bmi")))
#define LANES static EDGEPROBE_TARGET __attribute__((always_inline)) inline

namespace edgeprobe::compare {
namespace {

struct Lanes8 {
  static constexpr std::size_t kWidth = 8;
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
  LANES I select_int(K k, I yes, I no) { return _mm256_blendv_epi8(no, yes, _mm256_castps_si256(k)); }
  LANES I tally(I count, K k) { return _mm256_sub_epi32(count, _mm256_castps_si256(k)); }
  LANES std::uint64_t total_int(I a) {
    std::uint32_t lane[8];
    std::memcpy(lane, &a, sizeof lane);
    std::uint64_t sum = 0;
    for (const std::uint32_t value : lane) sum += value;
    return sum;
  }
  LANES float largest(F a) {
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    four = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(four, _mm_movehdup_ps(four)));
  }
  LANES F load_floats(const float* p) { return _mm256_loadu_ps(p); }
  LANES void store(float* p, F a) { _mm256_storeu_ps(p, a); }
  LANES void add_to(double* p, F a) {
    _mm256_storeu_pd(p, _mm256_add_pd(_mm256_loadu_pd(p), _mm256_cvtps_pd(_mm256_castps256_ps128(a))));
    _mm256_storeu_pd(p + 4, _mm256_add_pd(_mm256_loadu_pd(p + 4), _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1))));
  }
  LANES void add_to(std::uint32_t* p, I a) {
    auto* at = reinterpret_cast<__m256i*>(p);
    _mm256_storeu_si256(at, _mm256_add_epi32(_mm256_loadu_si256(at), a));
  }

  template <Element kElement>
  LANES F load(const std::byte* data, std::size_t i, F scale, F zero) {
    if constexpr (kElement == Element::kFloat32) {
      return _mm256_loadu_ps(reinterpret_cast<const float*>(data + i * 4));
    } else {
      const __m128i codes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(data + i));
      const I wide = kElement == Element::kInt8 ? _mm256_cvtepi8_epi32(codes) : _mm256_cvtepu8_epi32(codes);
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

#include "compare/kernel_body.h"

}  // namespace

const Kernels& avx2_kernels() {
  static const Kernels set = make_kernels<Lanes8>("avx2");
  return set;
}

}  // namespace edgeprobe::compare

#endif
