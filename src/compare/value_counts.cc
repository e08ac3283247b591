// SPDX-License-Identifier: Apache-2.0
#include "compare/value_counts.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace edgeprobe::compare {
namespace {

constexpr double kLargestFloat16 = 65504, kLeastFloat16 = 0x1p-14;

struct Ends {
  double least, most;
};
std::optional<Ends> ends_of(DType dtype) {
  switch (dtype) {
    case DType::kInt8: return Ends{-128, 127};
    case DType::kUInt8: return Ends{0, 255};
    case DType::kInt16: return Ends{-32768, 32767};
    case DType::kUInt16: return Ends{0, 65535};
    case DType::kFloat16: return Ends{-kLargestFloat16, kLargestFloat16};
    default: return std::nullopt;
  }
}

double least_normal(DType dtype) {
  if (dtype == DType::kFloat16) return kLeastFloat16;
  if (dtype == DType::kFloat64) return std::numeric_limits<double>::min();
  return double{std::numeric_limits<float>::min()};
}

void count(double value, double smallest, ValueCounts& out) {
  ++out.values;
  const double size = std::fabs(value);
  out.nan += std::isnan(value);
  out.infinite += std::isinf(value);
  if (!std::isfinite(value)) return;
  out.zeros += size == 0;
  out.denormal += size > 0 && size < smallest;
  out.beyond_float16 += size > kLargestFloat16;
  out.least = std::min(out.least.value_or(value), value);
  out.most = std::max(out.most.value_or(value), value);
}

}  // namespace

Status ValueCounts::add(const TensorView& tensor) {
  const DType dtype = tensor.spec->dtype;
  const double smallest = is_float(dtype) ? least_normal(dtype) : 0;
  const auto numbers = to_float(tensor);
  if (!numbers) return numbers.error();
  if (dtype == DType::kFloat64) {
    // float would make infinities and zeros of them.
    for (std::size_t i = 0; i < numbers->size(); ++i) {
      double value = 0;
      std::memcpy(&value, tensor.bytes.data + i * sizeof(value), sizeof(value));
      count(value, smallest, *this);
    }
    return {};
  }
  for (const float value : *numbers) count(double{value}, smallest, *this);
  const auto ends = ends_of(dtype);
  if (!ends) return {};
  const auto codes = stored_as_float(tensor);
  if (!codes) return codes.error();
  saturated +=
      static_cast<std::uint64_t>(std::count_if(codes->begin(), codes->end(), [&](float code) {
        return double{code} == ends->least || double{code} == ends->most;
      }));
  return {};
}

Result<std::vector<std::optional<ValueCounts>>> value_counts(const trace::Reader& reader,
                                                             const Control& control) {
  const auto& channels = reader.channels();
  std::vector<std::optional<ValueCounts>> counts(channels.size());
  std::vector<bool> numbers(channels.size(), true);
  std::size_t done = 0;
  for (const std::uint32_t frame : reader.frames()) {
    for (std::size_t c = 0; c < channels.size(); ++c) {
      if (control.stopped()) return interrupted();
      if (!numbers[c] || channels[c].channel.is_open()) continue;
      const auto tensor = reader.read(frame, channels[c].id);
      if (!tensor) return tensor.error();
      if (!*tensor) continue;
      if (!counts[c]) counts[c].emplace();
      const auto added = counts[c]->add(**tensor);
      if (added) continue;
      if (added.error().kind == ErrorKind::kCorrupt) return added.error();
      numbers[c] = false;
      counts[c].reset();
    }
    if (control.progress) control.progress(++done, reader.frames().size(), "frames counted");
  }
  return counts;
}

}  // namespace edgeprobe::compare
