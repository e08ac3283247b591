// SPDX-License-Identifier: Apache-2.0
// SHA-256 as FIPS 180-4 section 6.2 describes it. Ours, because core/ may depend on nothing but
// libc: the round constants are computed from the primes instead of being listed.
#include <array>
#include <cmath>
#include <cstring>

#include "core/file.h"
#include "core/sha256_kernels.h"

namespace edgeprobe {
namespace {

using Word = std::uint32_t;

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

/// `done` gets the parts of the bytes that were read.
template <class Done>
std::string digest(const Sha256Kernel& kernel, ByteView bytes, Done done) {
  constexpr std::size_t kPart = std::size_t{4} << 20;
  static const Constants k;
  Sha256State state = k.start;
  std::size_t at = 0;
  for (; at + kPart <= bytes.size; at += kPart) {
    kernel.run(state, k.round.data(), bytes.data + at, kPart / 64);
    done(at, kPart);
  }
  const std::size_t blocks = (bytes.size - at) / 64;
  if (blocks) kernel.run(state, k.round.data(), bytes.data + at, blocks);
  at += blocks * 64;
  std::array<std::byte, 128> tail{};
  const std::size_t left = bytes.size - at;
  if (left) std::memcpy(tail.data(), bytes.data + at, left);
  tail[left] = std::byte{0x80};
  const std::size_t length = left < 56 ? 64 : 128;
  const std::uint64_t bits = static_cast<std::uint64_t>(bytes.size) * 8;
  for (std::size_t i = 0; i < 8; ++i)
    tail[length - 1 - i] = static_cast<std::byte>((bits >> (8 * i)) & 0xff);
  kernel.run(state, k.round.data(), tail.data(), length / 64);
  std::string hex;
  for (const Word word : state)
    for (int shift = 28; shift >= 0; shift -= 4) hex += "0123456789abcdef"[(word >> shift) & 15];
  return hex;
}

/// Fastest one of this processor.
const Sha256Kernel& chosen() {
  static const Sha256Kernel kernel = sha256_kernels().back();
  return kernel;
}

}  // namespace

std::string sha256_by(const Sha256Kernel& kernel, ByteView bytes) {
  return digest(kernel, bytes, [](std::size_t, std::size_t) {});
}

std::string sha256(ByteView bytes) { return sha256_by(chosen(), bytes); }

std::string sha256(const MappedFile& file) {
  return digest(chosen(), file.bytes(),
                [&file](std::size_t offset, std::size_t length) { file.release(offset, length); });
}

}  // namespace edgeprobe
