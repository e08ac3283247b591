// SPDX-License-Identifier: Apache-2.0
#include "trace/mcap/crc32.h"

#include <array>
#include <atomic>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#define EDGEPROBE_X86 1
#elif defined(__aarch64__) && defined(__linux__)
#include <arm_acle.h>
#include <sys/auxv.h>
#define EDGEPROBE_ARM64 1
#endif

namespace edgeprobe::trace {
namespace {

// x^32 + x^26 + … + 1, lowest bit = highest power
constexpr std::uint32_t kPolynomial = 0xedb88320u;
constexpr int kSlices = 16;

using Tables = std::array<std::array<std::uint32_t, 256>, kSlices>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) ? kPolynomial : 0);
    tables[0][i] = value;
  }
  // Table s shifts a byte's effect by s more bytes.
  for (std::size_t s = 1; s < kSlices; ++s)
    for (std::size_t i = 0; i < 256; ++i)
      tables[s][i] = (tables[s - 1][i] >> 8) ^ tables[0][tables[s - 1][i] & 0xff];
  return tables;
}
constexpr Tables kTables = make_tables();

std::uint32_t load_u32(const std::byte* data) {
  std::uint32_t value;
  std::memcpy(&value, data, 4);
  return value;
}

std::uint32_t sliced(std::uint32_t before, const std::byte* data, std::size_t size) {
  std::uint32_t state = ~before;
  for (; size >= kSlices; size -= kSlices, data += kSlices) {
    const std::uint32_t words[4] = {load_u32(data) ^ state, load_u32(data + 4), load_u32(data + 8),
                                    load_u32(data + 12)};
    state = 0;
    for (std::size_t word = 0; word < 4; ++word)
      for (std::size_t byte = 0; byte < 4; ++byte)
        state ^= kTables[15 - word * 4 - byte][(words[word] >> (8 * byte)) & 0xff];
  }
  for (; size > 0; --size, ++data)
    state = (state >> 8) ^ kTables[0][(state ^ static_cast<std::uint32_t>(*data)) & 0xff];
  return ~state;
}

#ifdef EDGEPROBE_X86

// Folding as in Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ" (Intel
// 2009): a 128-bit lane n bits ahead of another is multiplied by x^(n±32) mod P and added to it.
constexpr long long power(unsigned exponent) {
  std::uint32_t value = 0x80000000u;  // x^0, bit-reflected
  for (unsigned i = 0; i < exponent; ++i) value = (value >> 1) ^ ((value & 1) ? kPolynomial : 0);
  const std::uint64_t shifted = std::uint64_t{value} << 1;
  return static_cast<long long>(shifted);
}
struct Fold {
  long long low, high;
};
constexpr Fold over(unsigned bits) { return {power(bits + 32), power(bits - 32)}; }
constexpr Fold kOver128 = over(128), kOver256 = over(256), kOver512 = over(512),
               kOver2048 = over(2048);

__attribute__((target("pclmul,sse4.1"))) inline __m128i load128(const std::byte* data) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(data));
}

__attribute__((target("pclmul,sse4.1"))) inline __m128i folded(__m128i lane, __m128i by,
                                                               __m128i onto) {
  const __m128i product =
      _mm_xor_si128(_mm_clmulepi64_si128(lane, by, 0x00), _mm_clmulepi64_si128(lane, by, 0x11));
  return _mm_xor_si128(product, onto);
}

// The CRC of the last lane and the remaining bytes. With a zero state, the lane's 16 bytes can be
// processed like any others; sliced() inverts on entry and exit.
__attribute__((target("pclmul,sse4.1"))) std::uint32_t finished(__m128i lane, const std::byte* data,
                                                                std::size_t size) {
  const __m128i by = _mm_set_epi64x(kOver128.high, kOver128.low);
  for (; size >= 16; size -= 16, data += 16) lane = folded(lane, by, load128(data));
  std::byte last[16];
  _mm_storeu_si128(reinterpret_cast<__m128i*>(last), lane);
  return sliced(sliced(~0u, last, 16), data, size);
}

__attribute__((target("pclmul,sse4.1"))) std::uint32_t carryless(std::uint32_t before,
                                                                 const std::byte* data,
                                                                 std::size_t size) {
  if (size < 128) return sliced(before, data, size);
  const __m128i by = _mm_set_epi64x(kOver512.high, kOver512.low);
  __m128i a = _mm_xor_si128(load128(data), _mm_cvtsi32_si128(static_cast<int>(~before)));
  __m128i b = load128(data + 16), c = load128(data + 32), d = load128(data + 48);
  for (data += 64, size -= 64; size >= 64; data += 64, size -= 64) {
    a = folded(a, by, load128(data));
    b = folded(b, by, load128(data + 16));
    c = folded(c, by, load128(data + 32));
    d = folded(d, by, load128(data + 48));
  }
  const __m128i next = _mm_set_epi64x(kOver128.high, kOver128.low);
  return finished(folded(folded(folded(a, next, b), next, c), next, d), data, size);
}

#define EDGEPROBE_TWO __attribute__((target("avx2,vpclmulqdq,pclmul,sse4.1")))

EDGEPROBE_TWO inline __m256i load256(const std::byte* data) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(data));
}

EDGEPROBE_TWO inline __m256i folded2(__m256i lanes, __m256i by, __m256i onto) {
  const __m256i product = _mm256_xor_si256(_mm256_clmulepi64_epi128(lanes, by, 0x00),
                                           _mm256_clmulepi64_epi128(lanes, by, 0x11));
  return _mm256_xor_si256(product, onto);
}

// For processors with AVX2 but without AVX-512, such as Zen 3 and Alder Lake: eight registers,
// because a product takes at least four cycles.
EDGEPROBE_TWO std::uint32_t two_lanes(std::uint32_t before, const std::byte* data,
                                      std::size_t size) {
  constexpr std::size_t kRegisters = 8, kStep = kRegisters * 32;
  if (size < 2 * kStep) return carryless(before, data, size);
  const __m256i by = _mm256_broadcastsi128_si256(_mm_set_epi64x(kOver2048.high, kOver2048.low));
  __m256i lanes[kRegisters];
  for (std::size_t i = 0; i < kRegisters; ++i) lanes[i] = load256(data + 32 * i);
  lanes[0] = _mm256_xor_si256(lanes[0],
                              _mm256_zextsi128_si256(_mm_cvtsi32_si128(static_cast<int>(~before))));
  for (data += kStep, size -= kStep; size >= kStep; data += kStep, size -= kStep) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kRegisters; ++i)
      lanes[i] = folded2(lanes[i], by, load256(data + 32 * i));
  }
  const __m256i next = _mm256_broadcastsi128_si256(_mm_set_epi64x(kOver256.high, kOver256.low));
  __m256i last = lanes[0];
  for (std::size_t i = 1; i < kRegisters; ++i) last = folded2(last, next, lanes[i]);
  for (; size >= 32; size -= 32, data += 32) last = folded2(last, next, load256(data));
  const __m128i by_one = _mm_set_epi64x(kOver128.high, kOver128.low);
  return finished(folded(_mm256_castsi256_si128(last), by_one, _mm256_extracti128_si256(last, 1)),
                  data, size);
}

#define EDGEPROBE_WIDE __attribute__((target("avx512f,avx512vl,avx512dq,vpclmulqdq,pclmul,sse4.1")))

EDGEPROBE_WIDE inline __m512i load512(const std::byte* data) { return _mm512_loadu_si512(data); }

EDGEPROBE_WIDE inline __m512i folded4(__m512i lanes, __m512i by, __m512i onto) {
  constexpr int kXorOfThree = 0x96;
  return _mm512_ternarylogic_epi64(_mm512_clmulepi64_epi128(lanes, by, 0x00),
                                   _mm512_clmulepi64_epi128(lanes, by, 0x11), onto, kXorOfThree);
}

EDGEPROBE_WIDE std::uint32_t wide(std::uint32_t before, const std::byte* data, std::size_t size) {
  if (size < 512) return carryless(before, data, size);
  const __m512i by = _mm512_broadcast_i32x4(_mm_set_epi64x(kOver2048.high, kOver2048.low));
  __m512i a = _mm512_xor_si512(
      load512(data), _mm512_zextsi128_si512(_mm_cvtsi32_si128(static_cast<int>(~before))));
  __m512i b = load512(data + 64), c = load512(data + 128), d = load512(data + 192);
  for (data += 256, size -= 256; size >= 256; data += 256, size -= 256) {
    a = folded4(a, by, load512(data));
    b = folded4(b, by, load512(data + 64));
    c = folded4(c, by, load512(data + 128));
    d = folded4(d, by, load512(data + 192));
  }
  const __m512i next = _mm512_broadcast_i32x4(_mm_set_epi64x(kOver512.high, kOver512.low));
  d = folded4(folded4(folded4(a, next, b), next, c), next, d);
  for (; size >= 64; data += 64, size -= 64) d = folded4(d, next, load512(data));
  const __m128i last = _mm_set_epi64x(kOver128.high, kOver128.low);
  __m128i lane = folded(_mm512_extracti32x4_epi32(d, 0), last, _mm512_extracti32x4_epi32(d, 1));
  lane = folded(lane, last, _mm512_extracti32x4_epi32(d, 2));
  return finished(folded(lane, last, _mm512_extracti32x4_epi32(d, 3)), data, size);
}

#endif  // EDGEPROBE_X86

#ifdef EDGEPROBE_ARM64

std::uint64_t load_u64(const std::byte* data) {
  std::uint64_t value;
  std::memcpy(&value, data, 8);
  return value;
}

// Before version 16, clang declares the functions of arm_acle.h only if the whole unit may use
// them.
#ifdef __clang__
#define EDGEPROBE_CRC __attribute__((target("crc")))
EDGEPROBE_CRC std::uint32_t crc_of_8(std::uint32_t state, std::uint64_t bytes) {
  return __builtin_arm_crc32d(state, bytes);
}
EDGEPROBE_CRC std::uint32_t crc_of_1(std::uint32_t state, std::uint8_t byte) {
  return __builtin_arm_crc32b(state, byte);
}
#else
#define EDGEPROBE_CRC __attribute__((target("+crc")))
EDGEPROBE_CRC std::uint32_t crc_of_8(std::uint32_t state, std::uint64_t bytes) {
  return __crc32d(state, bytes);
}
EDGEPROBE_CRC std::uint32_t crc_of_1(std::uint32_t state, std::uint8_t byte) {
  return __crc32b(state, byte);
}
#endif

// ARMv8's CRC extension uses this polynomial.
EDGEPROBE_CRC std::uint32_t instruction(std::uint32_t before, const std::byte* data,
                                        std::size_t size) {
  std::uint32_t state = ~before;
  for (; size >= 32; size -= 32, data += 32)
    for (std::size_t at = 0; at < 32; at += 8) state = crc_of_8(state, load_u64(data + at));
  for (; size >= 8; size -= 8, data += 8) state = crc_of_8(state, load_u64(data));
  for (; size > 0; --size, ++data) state = crc_of_1(state, static_cast<std::uint8_t>(*data));
  return ~state;
}

constexpr unsigned long kHasCrc32 = 1ul << 7;  // HWCAP_CRC32 of asm/hwcap.h

#endif  // EDGEPROBE_ARM64

}  // namespace

std::vector<Crc32Kernel> crc32_kernels() {
  std::vector<Crc32Kernel> kernels{{"sliced", sliced}};
#ifdef EDGEPROBE_X86
  if (__builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1"))
    kernels.push_back({"pclmul", carryless});
  if (__builtin_cpu_supports("vpclmulqdq") && __builtin_cpu_supports("avx2") &&
      __builtin_cpu_supports("pclmul"))
    kernels.push_back({"vpclmul256", two_lanes});
  if (__builtin_cpu_supports("vpclmulqdq") && __builtin_cpu_supports("avx512f") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("pclmul"))
    kernels.push_back({"vpclmul512", wide});
#endif
#ifdef EDGEPROBE_ARM64
  if (::getauxval(AT_HWCAP) & kHasCrc32) kernels.push_back({"armv8", instruction});
#endif
  return kernels;
}

namespace {

auto& chosen() {
  static std::atomic<decltype(Crc32Kernel::run)> run = crc32_kernels().back().run;
  return run;
}

}  // namespace

void use_crc32(const Crc32Kernel& kernel) { chosen().store(kernel.run, std::memory_order_relaxed); }

std::uint32_t crc32(ByteView bytes, std::uint32_t before) {
  return chosen().load(std::memory_order_relaxed)(before, bytes.data, bytes.size);
}

}  // namespace edgeprobe::trace
