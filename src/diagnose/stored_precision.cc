// SPDX-License-Identifier: Apache-2.0
#include "diagnose/stored_precision.h"

#include <bit>
#include <cmath>
#include <set>

#include "core/text.h"

namespace edgeprobe::diagnose {
namespace {

constexpr std::size_t kFrames = 3;
// More than 8-bit codes with one scale have, which may be bfloat16 numbers too.
constexpr std::size_t kLeastDistinct = 300;

bool is_bfloat16(float value) { return (std::bit_cast<std::uint32_t>(value) & 0xffffU) == 0; }
bool is_float16(float value) {
  const double size = std::fabs(double{value});
  if (!(size <= 65504)) return !std::isfinite(value);
  int exponent = 0;
  std::frexp(size, &exponent);
  // 11 significant bits, none below 2^-24.
  const double units = std::ldexp(size, -std::max(exponent - 11, -24));
  return units == std::floor(units);
}

/// Recorded float32 layers whose values could tell, and those that hold one format's alone.
struct Stored {
  std::size_t layers = 0, float16 = 0, bfloat16 = 0;
  std::string first;
};

Result<Stored> stored(const trace::Reader& reader, const Control& control) {
  Stored found;
  for (const trace::ReadChannel& channel : reader.channels()) {
    if (channel.channel.stage != trace::Stage::kLayer ||
        channel.channel.spec.dtype != DType::kFloat32)
      continue;
    if (control.stopped()) return interrupted();
    bool float16 = true, bfloat16 = true;
    std::set<float> distinct;
    for (std::size_t f = 0; f < reader.frames().size() && f < kFrames; ++f) {
      const auto tensor = reader.read(reader.frames()[f], channel.id);
      if (!tensor) return tensor.error();
      if (!*tensor) continue;
      const auto values = to_float(**tensor);
      if (!values) return values.error();
      for (const float value : *values) {
        float16 = float16 && is_float16(value);
        bfloat16 = bfloat16 && is_bfloat16(value);
        if (distinct.size() < kLeastDistinct && std::isfinite(value)) distinct.insert(value);
      }
    }
    if (distinct.size() < kLeastDistinct) continue;
    ++found.layers;
    if (!float16 && !bfloat16) continue;
    if (found.first.empty()) found.first = channel.channel.spec.name;
    ++(bfloat16 ? found.bfloat16 : found.float16);
  }
  return found;
}

}  // namespace

Result<Findings> find_stored_precision(const Examination& examined, const Control& control) {
  Findings found;
  const auto target = stored(*examined.study.known.target, control);
  if (!target) return target.error();
  const std::size_t narrow = target->float16 + target->bfloat16;
  // A quarter: engines keep sums and what joins branches in float32.
  if (narrow < 2 || narrow * 4 < target->layers) return found;
  const auto reference = stored(*examined.study.known.reference, control);
  if (!reference) return reference.error();
  if ((reference->float16 + reference->bfloat16) * 4 >= reference->layers && reference->layers > 0)
    return found;
  const char* const format = target->bfloat16 >= target->float16 ? "bfloat16" : "float16";
  found.warnings.push_back("the target stored " + std::to_string(narrow) + " of " +
                           std::to_string(target->layers) + " recorded float32 layers in " +
                           format + ", from '" + sanitized(target->first, 60) +
                           "' on: every value is such a number" +
                           (reference->layers > 0 ? ", and the reference's are not" : "") +
                           "; `edgeprobe predict-precision` says what that does to the model");
  return found;
}

}  // namespace edgeprobe::diagnose
