// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "core/text.h"
#include "diagnose/tensors/changes.h"

namespace edgeprobe::diagnose::tensors {
namespace {

float swapped_real(float value) {
  return std::bit_cast<float>(__builtin_bswap32(std::bit_cast<std::uint32_t>(value)));
}
float swapped_short(float value) {
  return float(std::int16_t(__builtin_bswap16(std::uint16_t(std::int32_t(value)))));
}
float swapped_unsigned_short(float value) {
  return float(__builtin_bswap16(std::uint16_t(std::int32_t(value))));
}
using Swap = float (*)(float);
Swap swap_of(DType type) {
  switch (type) {
    case DType::kFloat32: return swapped_real;
    case DType::kInt16: return swapped_short;
    case DType::kUInt16: return swapped_unsigned_short;
    default: return nullptr;
  }
}

// True if each value equals the reference's after swapping; what was fed may be NaN.
bool is_swapped(const Pairs& pairs, Swap swap) {
  std::size_t count = 0, moved = 0;
  for (const std::size_t at : pairs.differs)
    for (std::size_t i = 0; i < pairs.values(); ++i) {
      const float fed = pairs.all[at].fed[i], wanted = pairs.all[at].wanted[i];
      if (!(std::abs(double(swap(fed)) - double(wanted)) <= pairs.slack)) return false;
      ++count;
      // Zeros do not change.
      moved += wanted != 0;
    }
  return count > 0 && moved >= 4;
}

// Codes shifted by half of their range, modulo the range: the highest bit is inverted.
std::optional<Change> turned_bit(const Pairs& pairs) {
  if (!pairs.codes) return std::nullopt;
  const Codes& codes = *pairs.codes;
  const double range = codes.most - codes.least + 1;
  const bool fits = reproduces(pairs, 1, [&](std::size_t at, std::size_t i) {
    const double code = double(pairs.all[at].wanted[i]) - codes.least;
    return float(std::fmod(code + range / 2, range) + codes.least);
  });
  if (!fits) return std::nullopt;
  const bool is_signed = codes.least < 0;
  const std::string bits = number(std::log2(range), 2);
  return Change{CauseKind::kInputQuantization,
                "holds codes with their highest bit inverted, " + number(range / 2) +
                    " too high or too low: the app writes " + (is_signed ? "uint" : "int") + bits +
                    " codes where the model takes " + (is_signed ? "int" : "uint") + bits};
}

}  // namespace

std::optional<Change> other_bytes(const Pairs& pairs) {
  if (auto change = turned_bit(pairs)) return change;
  const Swap swap = swap_of(pairs.type);
  if (!swap || !is_swapped(pairs, swap)) return std::nullopt;
  return Change{
      CauseKind::kSampleFormat,
      "holds its numbers in the other byte order: with reversed bytes they are the reference's"};
}

}  // namespace edgeprobe::diagnose::tensors
