// SPDX-License-Identifier: Apache-2.0
#include "audio/samples.h"

#include <cstdint>
#include <cstring>

namespace edgeprobe::audio {
namespace {

std::uint64_t bits_at(const std::byte* at, const Stored& stored) {
  std::uint64_t bits = 0;
  for (int i = 0; i < stored.bytes; ++i) {
    const int place = stored.big ? stored.bytes - 1 - i : i;
    bits |= std::to_integer<std::uint64_t>(at[i]) << (8 * place);
  }
  return bits;
}

float sample_at(const std::byte* at, const Stored& stored) {
  const std::uint64_t bits = bits_at(at, stored);
  if (stored.type == Stored::Type::kFloat && stored.bytes == 8) {
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return static_cast<float>(value * 32768.0);
  }
  if (stored.type == Stored::Type::kFloat) {
    const auto half = static_cast<std::uint32_t>(bits);
    float value = 0;
    std::memcpy(&value, &half, sizeof value);
    return value * 32768.0f;
  }
  const int width = 8 * stored.bytes;
  const double step = 32768.0 / static_cast<double>(std::uint64_t{1} << (width - 1));
  if (stored.type == Stored::Type::kUnsigned)
    return static_cast<float>(
        (static_cast<double>(bits) - static_cast<double>(std::uint64_t{1} << (width - 1))) * step);
  // Shifts the sign bit to the top, then back down with sign extension.
  const auto extended =
      static_cast<std::int64_t>(bits << (64 - width)) / (std::int64_t{1} << (64 - width));
  return static_cast<float>(static_cast<double>(extended) * step);
}

}  // namespace

std::vector<float> samples_of(ByteView bytes, const Stored& stored) {
  const auto width = static_cast<std::size_t>(stored.bytes);
  std::vector<float> samples(bytes.size / width);
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples[i] = sample_at(bytes.data + i * width, stored);
  return samples;
}

}  // namespace edgeprobe::audio
