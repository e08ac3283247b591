// SPDX-License-Identifier: Apache-2.0
// SHA-256 as FIPS 180-4 section 6.2 describes it. Ours, because core/ may depend on nothing but
// libc: the round constants are computed from the primes instead of being listed.
#include <array>
#include <cmath>
#include <cstring>

#include "core/file.h"

namespace edgeprobe {
namespace {

using Word = std::uint32_t;

Word rotated(Word x, int by) { return (x >> by) | (x << (32 - by)); }

struct Constants {
  std::array<Word, 64> round{};
  std::array<Word, 8> start{};

  // The first 32 bits of the fractional parts of the cube roots of the first 64 primes, and of the
  // square roots of the first 8. long double has 64 bits of mantissa: 3 bits before, 61 behind.
  Constants() {
    std::size_t count = 0;
    for (int n = 2; count < 64; ++n) {
      bool prime = true;
      for (int d = 2; d * d <= n; ++d) prime = prime && n % d != 0;
      if (!prime) continue;
      if (count < 8) start[count] = fraction(std::sqrt(static_cast<long double>(n)));
      round[count++] = fraction(std::cbrt(static_cast<long double>(n)));
    }
  }
  static Word fraction(long double x) {
    return static_cast<Word>((x - std::floor(x)) * 4294967296.0L);
  }
};

void digest_block(const Constants& k, const std::byte* block, std::array<Word, 8>& state) {
  std::array<Word, 64> w{};
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t b = 0; b < 4; ++b) w[i] = (w[i] << 8) | static_cast<Word>(block[4 * i + b]);
  for (std::size_t i = 16; i < 64; ++i) {
    const Word s0 = rotated(w[i - 15], 7) ^ rotated(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const Word s1 = rotated(w[i - 2], 17) ^ rotated(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const Word s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const Word t1 = h + s1 + ((e & f) ^ (~e & g)) + k.round[i] + w[i];
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
  const std::array<Word, 8> add{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += add[i];
}

/// `done` learns now and then how far the bytes were read.
template <class Done>
std::string digest(ByteView bytes, Done done) {
  constexpr std::size_t kPart = std::size_t{4} << 20;
  static const Constants k;
  std::array<Word, 8> state = k.start;
  std::size_t at = 0;
  for (; at + 64 <= bytes.size; at += 64) {
    digest_block(k, bytes.data + at, state);
    if ((at + 64) % kPart == 0) done(at + 64 - kPart, kPart);
  }
  std::array<std::byte, 128> tail{};
  const std::size_t left = bytes.size - at;
  if (left) std::memcpy(tail.data(), bytes.data + at, left);
  tail[left] = std::byte{0x80};
  const std::size_t length = left < 56 ? 64 : 128;
  const std::uint64_t bits = static_cast<std::uint64_t>(bytes.size) * 8;
  for (std::size_t i = 0; i < 8; ++i)
    tail[length - 1 - i] = static_cast<std::byte>((bits >> (8 * i)) & 0xff);
  for (std::size_t block = 0; block < length; block += 64)
    digest_block(k, tail.data() + block, state);
  std::string hex;
  for (const Word word : state)
    for (int shift = 28; shift >= 0; shift -= 4) hex += "0123456789abcdef"[(word >> shift) & 15];
  return hex;
}

}  // namespace

std::string sha256(ByteView bytes) {
  return digest(bytes, [](std::size_t, std::size_t) {});
}

std::string sha256(const MappedFile& file) {
  return digest(file.bytes(),
                [&file](std::size_t offset, std::size_t length) { file.release(offset, length); });
}

}  // namespace edgeprobe
