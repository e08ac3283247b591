// SPDX-License-Identifier: Apache-2.0
#include "precision/sums/accumulators.h"

namespace edgeprobe::precision {

// Uses eight lanes if the processor has them; no fused multiply-add, so that every machine computes
// the same sums.
#if defined(__x86_64__)
#define EDGEPROBE_LANES __attribute__((target_clones("avx2", "default")))
#else
#define EDGEPROBE_LANES
#endif

EDGEPROBE_LANES std::uint32_t add_scaled(float* s, float x, const float* w, std::size_t n,
                                         bool half, std::uint32_t most) {
  if (half)
    for (std::size_t i = 0; i < n; ++i) s[i] = to_float16(s[i] + x * w[i]);
  else
    for (std::size_t i = 0; i < n; ++i) s[i] += x * w[i];
  for (std::size_t i = 0; i < n; ++i) most = std::max(most, size_bits(s[i]));
  return most;
}
EDGEPROBE_LANES std::uint32_t add_products(float* s, const float* x, const float* w, std::size_t n,
                                           bool half, std::uint32_t most) {
  if (half)
    for (std::size_t i = 0; i < n; ++i) s[i] = to_float16(s[i] + x[i] * w[i]);
  else
    for (std::size_t i = 0; i < n; ++i) s[i] += x[i] * w[i];
  for (std::size_t i = 0; i < n; ++i) most = std::max(most, size_bits(s[i]));
  return most;
}

}  // namespace edgeprobe::precision
