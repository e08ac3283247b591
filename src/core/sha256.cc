// SPDX-License-Identifier: Apache-2.0
// SHA-256 as FIPS 180-4 section 6.2 describes it. Own code, because core/ may depend only on libc:
// the round constants are computed from the primes instead of being listed.
#include "core/sha256.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/file.h"

namespace edgeprobe {
namespace {

using Word = std::uint32_t;

struct Constants {
  std::array<Word, 64> round{};
  std::array<Word, 8> start{};

  // The first 32 fractional bits of the cube roots of the first 64 primes, and of the square roots
  // of the first 8. The mantissa of long double has 64 bits: 3 before the point, 61 after it.
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

const Constants& constants() {
  static const Constants k;
  return k;
}

/// The fastest kernel of this processor.
const Sha256Kernel& chosen() {
  static const Sha256Kernel kernel = sha256_kernels().back();
  return kernel;
}

}  // namespace

Sha256::Sha256() : Sha256(chosen()) {}

Sha256::Sha256(const Sha256Kernel& kernel) : kernel_(&kernel), state_(constants().start) {}

void Sha256::add(ByteView bytes) {
  const auto run = [this](const std::byte* data, std::size_t blocks) {
    if (blocks > 0) kernel_->run(state_, constants().round.data(), data, blocks);
  };
  if (const std::size_t begun = size_ % begun_.size(); begun > 0) {
    const std::size_t some = std::min(begun_.size() - begun, bytes.size);
    std::copy_n(bytes.data, some, begun_.data() + begun);
    size_ += some;
    bytes = bytes.sub(some, bytes.size - some);
    if (begun + some < begun_.size()) return;
    run(begun_.data(), 1);
  }
  const std::size_t blocks = bytes.size / begun_.size();
  run(bytes.data, blocks);
  const ByteView left = bytes.sub(blocks * begun_.size(), bytes.size % begun_.size());
  std::copy_n(left.data, left.size, begun_.data());
  size_ += bytes.size;
}

std::string Sha256::hex() {
  const std::uint64_t bits = size_ * 8;
  // Padding: a one bit, zeros up to the last 8 bytes of a block, and the bit count.
  std::array<std::byte, 72> tail{std::byte{0x80}};
  const std::size_t zeros = (119 - size_ % 64) % 64;
  for (std::size_t i = 0; i < 8; ++i)
    tail[zeros + 8 - i] = static_cast<std::byte>((bits >> (8 * i)) & 0xff);
  add({tail.data(), zeros + 9});
  std::string hex;
  for (const Word word : state_)
    for (int shift = 28; shift >= 0; shift -= 4) hex += "0123456789abcdef"[(word >> shift) & 15];
  return hex;
}

std::string sha256_by(const Sha256Kernel& kernel, ByteView bytes) {
  Sha256 hash(kernel);
  hash.add(bytes);
  return hash.hex();
}

std::string sha256(ByteView bytes) { return sha256_by(chosen(), bytes); }

std::string sha256(const MappedFile& file) {
  constexpr std::size_t kPart = std::size_t{4} << 20;
  const ByteView all = file.bytes();
  Sha256 hash;
  for (std::size_t at = 0; at < all.size; at += kPart) {
    const std::size_t size = std::min(kPart, all.size - at);
    hash.add(all.sub(at, size));
    if (size == kPart) file.release(at, size);
  }
  return hash.hex();
}

}  // namespace edgeprobe
