// SPDX-License-Identifier: Apache-2.0
#include "serve/quantize.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/codec.h"
#include "core/text.h"

namespace edgeprobe::serve {
namespace {

template <class Code>
void put_codes(ByteView floats, const TensorSpec& spec, std::byte* to) {
  const double scale = spec.quantization.scale_at(0);
  const auto zero = static_cast<double>(spec.quantization.zero_point_at(0));
  constexpr auto kLowest = static_cast<double>(std::numeric_limits<Code>::lowest());
  constexpr auto kHighest = static_cast<double>(std::numeric_limits<Code>::max());
  for (std::size_t i = 0; i < floats.size / sizeof(float); ++i) {
    const double value = load_little<float>(floats.data + i * sizeof(float));
    const double code = std::isnan(value) ? zero : std::nearbyint(value / scale) + zero;
    store_little(to + i * sizeof(Code), static_cast<Code>(std::clamp(code, kLowest, kHighest)));
  }
}

}  // namespace

Status quantize(ByteView floats, const TensorSpec& spec, std::byte* to) {
  const auto unsupported = [&](const std::string& why) {
    return Error{ErrorKind::kUnsupported,
                 "'" + sanitized(spec.name) + "' cannot be quantised here: " + why};
  };
  if (spec.quantization.scale.size() != 1 || !(spec.quantization.scale[0] > 0))
    return unsupported("the model has no scale for it");
  switch (spec.dtype) {
    case DType::kInt8: put_codes<std::int8_t>(floats, spec, to); return {};
    case DType::kUInt8: put_codes<std::uint8_t>(floats, spec, to); return {};
    case DType::kInt16: put_codes<std::int16_t>(floats, spec, to); return {};
    case DType::kInt32: put_codes<std::int32_t>(floats, spec, to); return {};
    default: return unsupported(std::string("it is ") + name(spec.dtype));
  }
}

}  // namespace edgeprobe::serve
