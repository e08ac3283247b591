// SPDX-License-Identifier: Apache-2.0
// SHA-256's compression function (FIPS 180-4 section 6.2.2), portable and with the instructions of
// x86 (SHA extensions) and ARMv8 (Cryptography extension).
#include "core/sha256_kernels.h"

#include <cstring>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define EDGEPROBE_SHA_X86 1
#include <cpuid.h>
#include <immintrin.h>
// Clang before 16 declares these intrinsics only if the whole file is compiled for them.
#elif defined(__aarch64__) && defined(__linux__) && !defined(__AARCH64EB__) && \
    (!defined(__clang__) || defined(__ARM_FEATURE_SHA2))
#define EDGEPROBE_SHA_ARM64 1
#ifdef __clang__
#define EDGEPROBE_CRYPTO
#else
#define EDGEPROBE_CRYPTO __attribute__((target("+crypto")))
#endif
#include <arm_neon.h>
#include <sys/auxv.h>
#endif

namespace edgeprobe {
namespace {

using Word = std::uint32_t;

Word rotated(Word x, int by) { return (x >> by) | (x << (32 - by)); }

void portable(Sha256State& state, const Word* round, const std::byte* data, std::size_t blocks) {
  for (; blocks > 0; --blocks, data += 64) {
    std::array<Word, 64> w{};
    for (std::size_t i = 0; i < 16; ++i)
      for (std::size_t b = 0; b < 4; ++b) w[i] = (w[i] << 8) | static_cast<Word>(data[4 * i + b]);
    for (std::size_t i = 16; i < 64; ++i) {
      const Word s0 = rotated(w[i - 15], 7) ^ rotated(w[i - 15], 18) ^ (w[i - 15] >> 3);
      const Word s1 = rotated(w[i - 2], 17) ^ rotated(w[i - 2], 19) ^ (w[i - 2] >> 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t i = 0; i < 64; ++i) {
      const Word s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
      const Word t1 = h + s1 + ((e & f) ^ (~e & g)) + round[i] + w[i];
      const Word s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
      const Word t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = d + t1;
      d = c;
      c = b;
      b = a;
      a = t1 + t2;
    }
    const Sha256State add{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) state[i] += add[i];
  }
}

#ifdef EDGEPROBE_SHA_X86

// The instructions keep the eight words in two registers, from the highest lane down: A B E F and C
// D G H. One instruction does two rounds; the low half of its operand holds the message words plus
// their constants.
__attribute__((target("sha,sse4.1"))) void x86_sha(Sha256State& state, const Word* round,
                                                   const std::byte* data, std::size_t blocks) {
  const auto* k = reinterpret_cast<const __m128i*>(round);
  __m128i abef = _mm_set_epi32(static_cast<int>(state[0]), static_cast<int>(state[1]),
                               static_cast<int>(state[4]), static_cast<int>(state[5]));
  __m128i cdgh = _mm_set_epi32(static_cast<int>(state[2]), static_cast<int>(state[3]),
                               static_cast<int>(state[6]), static_cast<int>(state[7]));
  const __m128i big_endian = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
  for (; blocks > 0; --blocks, data += 64) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i w[4];
    for (int i = 0; i < 4; ++i)
      w[i] =
          _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(data) + i), big_endian);
      // Unrolled so that w stays in registers.
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) {
      __m128i& oldest = w[i % 4];
      const __m128i with_constants = _mm_add_epi32(oldest, _mm_loadu_si128(k + i));
      const __m128i next = _mm_sha256rnds2_epu32(cdgh, abef, with_constants);
      cdgh = _mm_sha256rnds2_epu32(abef, next, _mm_shuffle_epi32(with_constants, 0x0e));
      // After four rounds C D G H are what A B E F were after two.
      abef = cdgh;
      cdgh = next;
      if (i >= 12) continue;
      const __m128i newest = w[(i + 3) % 4];
      const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(oldest, w[(i + 1) % 4]),
                                        _mm_alignr_epi8(newest, w[(i + 2) % 4], 4));
      oldest = _mm_sha256msg2_epu32(sum, newest);
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  alignas(16) std::array<Word, 4> high{}, low{};
  _mm_store_si128(reinterpret_cast<__m128i*>(high.data()), abef);
  _mm_store_si128(reinterpret_cast<__m128i*>(low.data()), cdgh);
  state = {high[3], high[2], low[3], low[2], high[1], high[0], low[1], low[0]};
}

// __builtin_cpu_supports of GCC 12 does not know these extensions.
bool has_x86_sha() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSE4_1)) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & (1u << 29));
}

#endif  // EDGEPROBE_SHA_X86

#ifdef EDGEPROBE_SHA_ARM64

EDGEPROBE_CRYPTO void armv8(Sha256State& state, const Word* round, const std::byte* data,
                            std::size_t blocks) {
  uint32x4_t abcd = vld1q_u32(state.data()), efgh = vld1q_u32(state.data() + 4);
  for (; blocks > 0; --blocks, data += 64) {
    const uint32x4_t abcd_before = abcd, efgh_before = efgh;
    uint32x4_t w[4];
    for (int i = 0; i < 4; ++i)
      w[i] = vreinterpretq_u32_u8(
          vrev32q_u8(vld1q_u8(reinterpret_cast<const std::uint8_t*>(data) + 16 * i)));
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) {
      uint32x4_t& oldest = w[i % 4];
      const uint32x4_t with_constants = vaddq_u32(oldest, vld1q_u32(round + 4 * i));
      const uint32x4_t abcd_here = abcd;
      abcd = vsha256hq_u32(abcd, efgh, with_constants);
      efgh = vsha256h2q_u32(efgh, abcd_here, with_constants);
      if (i < 12)
        oldest = vsha256su1q_u32(vsha256su0q_u32(oldest, w[(i + 1) % 4]), w[(i + 2) % 4],
                                 w[(i + 3) % 4]);
    }
    abcd = vaddq_u32(abcd, abcd_before);
    efgh = vaddq_u32(efgh, efgh_before);
  }
  vst1q_u32(state.data(), abcd);
  vst1q_u32(state.data() + 4, efgh);
}

constexpr unsigned long kHasSha2 = 1ul << 6;  // HWCAP_SHA2 of asm/hwcap.h

#endif  // EDGEPROBE_SHA_ARM64

}  // namespace

std::vector<Sha256Kernel> sha256_kernels() {
  std::vector<Sha256Kernel> kernels{{"portable", portable}};
#ifdef EDGEPROBE_SHA_X86
  if (has_x86_sha()) kernels.push_back({"x86-sha", x86_sha});
#endif
#ifdef EDGEPROBE_SHA_ARM64
  if (::getauxval(AT_HWCAP) & kHasSha2) kernels.push_back({"armv8", armv8});
#endif
  return kernels;
}

}  // namespace edgeprobe
