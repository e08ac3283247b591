// SPDX-License-Identifier: Apache-2.0
#include "audio/misread.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "audio/samples.h"

namespace edgeprobe::audio {
namespace {

using Type = Stored::Type;

/// Stored and assumed formats of the bytes.
struct Formats {
  Stored written, read;
};
Formats formats_of(ReadAs format) {
  switch (format) {
    case ReadAs::kStored: break;
    case ReadAs::kFloatAsInt32: return {{Type::kFloat, 4, false}, {Type::kSigned, 4, false}};
    case ReadAs::kFloatAsInt16: return {{Type::kFloat, 4, false}, {Type::kSigned, 2, false}};
    case ReadAs::kInt32AsInt16: return {{Type::kSigned, 4, false}, {Type::kSigned, 2, false}};
    case ReadAs::kInt24AsInt16: return {{Type::kSigned, 3, false}, {Type::kSigned, 2, false}};
    case ReadAs::kInt16AsInt32: return {{Type::kSigned, 2, false}, {Type::kSigned, 4, false}};
    case ReadAs::kInt16AsInt24: return {{Type::kSigned, 2, false}, {Type::kSigned, 3, false}};
    case ReadAs::kInt16AsUint16: return {{Type::kSigned, 2, false}, {Type::kUnsigned, 2, false}};
    case ReadAs::kInt16AsUint8: return {{Type::kSigned, 2, false}, {Type::kUnsigned, 1, false}};
    case ReadAs::kInt16AsInt8: return {{Type::kSigned, 2, false}, {Type::kSigned, 1, false}};
    case ReadAs::kShifted14: return {{Type::kSigned, 2, false}, {Type::kSigned, 2, false}};
  }
  return {};
}

void append(std::vector<std::byte>& bytes, const void* from, std::size_t count) {
  const auto* const begin = static_cast<const std::byte*>(from);
  bytes.insert(bytes.end(), begin, begin + count);
}

// Writes a sample, in 16-bit units, as little-endian bytes.
void write(std::vector<std::byte>& bytes, float sample, const Stored& stored) {
  if (stored.type == Type::kFloat) {
    const float value = sample / 32768.0f;
    append(bytes, &value, sizeof value);
    return;
  }
  const double step = std::ldexp(1.0, 8 * stored.bytes - 16), most = 32768 * step;
  const double value = std::clamp(std::nearbyint(double(sample) * step), -most, most - 1);
  const auto whole = static_cast<std::int64_t>(value);
  append(bytes, &whole, static_cast<std::size_t>(stored.bytes));
}

}  // namespace

std::vector<float> samples_read_as(const Clip& clip, ReadAs format) {
  if (format == ReadAs::kStored) return clip.samples;
  const Formats formats = formats_of(format);
  std::vector<std::byte> bytes;
  for (const float sample : clip.samples) {
    float taken = sample;
    // The upper two bits of the word are lost, and the others move up two places.
    if (format == ReadAs::kShifted14)
      taken = static_cast<float>(static_cast<std::int16_t>(
          static_cast<std::uint16_t>(static_cast<std::int32_t>(std::nearbyint(sample)) * 4)));
    write(bytes, taken, formats.written);
  }
  return samples_of(ByteView(bytes.data(), bytes.size()), formats.read);
}

}  // namespace edgeprobe::audio
