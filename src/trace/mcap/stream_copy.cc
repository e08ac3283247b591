// SPDX-License-Identifier: Apache-2.0
#include "trace/mcap/stream_copy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#define EDGEPROBE_X86 1
#endif

namespace edgeprobe::trace {

#ifdef EDGEPROBE_X86
namespace {

constexpr std::size_t kShortest = 2048;  // a plain copy is faster below this size
constexpr std::size_t kLine = 64;

__attribute__((target("avx2"))) inline __m256i load(const std::byte* at) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}

__attribute__((target("avx2"))) void copy_around_cache(std::byte* to, const std::byte* from,
                                                       std::size_t size) {
  // Whole cache lines: the processor sends a line that two iterations fill in two pieces.
  const std::size_t head = std::min<std::size_t>(
      (kLine - (reinterpret_cast<std::uintptr_t>(to) & (kLine - 1))) & (kLine - 1), size);
  std::memcpy(to, from, head);
  to += head, from += head, size -= head;
  for (; size >= kLine; size -= kLine, to += kLine, from += kLine) {
    const __m256i a = load(from), b = load(from + 32);
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to), a);
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to + 32), b);
  }
  _mm_sfence();  // a release store does not order non-temporal stores
  std::memcpy(to, from, size);
}

}  // namespace

void stream_copy(std::byte* to, const std::byte* from, std::size_t size) {
  static const bool can = __builtin_cpu_supports("avx2");
  if (size == 0) return;
  if (size >= kShortest && can) copy_around_cache(to, from, size);
  else std::memcpy(to, from, size);
}
#else
void stream_copy(std::byte* to, const std::byte* from, std::size_t size) {
  if (size) std::memcpy(to, from, size);
}
#endif

}  // namespace edgeprobe::trace
