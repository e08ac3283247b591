// SPDX-License-Identifier: Apache-2.0
#include "compare/metrics/kind_counts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "compare/metrics/kernel_sets.h"

namespace edgeprobe::compare {
namespace {

constexpr double kLargestFloat16 = 65504, kLeastFloat16 = 0x1p-14;

bool has_ends(DType dtype) {
  return dtype == DType::kInt8 || dtype == DType::kUInt8 || dtype == DType::kInt16 ||
         dtype == DType::kUInt16;
}

double least_normal(DType dtype) {
  if (dtype == DType::kFloat16) return kLeastFloat16;
  if (dtype == DType::kFloat64) return std::numeric_limits<double>::min();
  return double{std::numeric_limits<float>::min()};
}

// Counts kinds of a number that is not float32; `smallest`: the smallest normal number of its type.
void count(double value, double smallest, KindCounts& out) {
  const double size = std::fabs(value);
  out.nan += std::isnan(value);
  out.infinite += std::isinf(value);
  if (!std::isfinite(value)) return;
  out.denormal += size > 0 && size < smallest;
  out.beyond_float16 += size > kLargestFloat16;
}

constexpr std::uint32_t kInfinity = 0x7f800000U, kNormal = 0x00800000U;
constexpr auto kLargestBits = std::bit_cast<std::uint32_t>(static_cast<float>(kLargestFloat16));

void count_float32(const std::byte* bytes, std::size_t n, KindCounts& out) {
  std::uint32_t nan = 0, infinite = 0, denormal = 0, beyond = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t size = 0;
    std::memcpy(&size, bytes + i * sizeof(size), sizeof(size));
    size &= 0x7fffffffU;
    nan += size > kInfinity;
    infinite += size == kInfinity;
    denormal += size - 1 < kNormal - 1;
    beyond += size > kLargestBits && size < kInfinity;
  }
  out.nan += nan, out.infinite += infinite, out.denormal += denormal;
  out.beyond_float16 += beyond;
}

template <class Code>
std::uint64_t at_ends(const std::byte* bytes, std::size_t n) {
  // A counter as wide as the codes lets the compiler count a whole vector at once.
  using Count = std::make_unsigned_t<Code>;
  constexpr std::size_t kBlock = std::numeric_limits<Count>::max();
  std::uint64_t total = 0;
  for (std::size_t start = 0; start < n; start += kBlock) {
    const std::size_t end = std::min(n, start + kBlock);
    Count count = 0;
    for (std::size_t i = start; i < end; ++i) {
      Code code = 0;
      std::memcpy(&code, bytes + i * sizeof(code), sizeof(code));
      const bool is_end =
          code == std::numeric_limits<Code>::min() || code == std::numeric_limits<Code>::max();
      count = static_cast<Count>(count + is_end);
    }
    total += count;
  }
  return total;
}

// True if some code of 8 or 16 bits represents a number beyond float16.
bool may_pass_float16(const TensorSpec& spec) {
  const double reach = spec.dtype == DType::kInt8 || spec.dtype == DType::kUInt8 ? 512 : 131072;
  if (spec.quantization.empty()) return reach > kLargestFloat16;
  return std::any_of(spec.quantization.scale.begin(), spec.quantization.scale.end(),
                     [&](float scale) { return !(double{scale} * reach <= kLargestFloat16); });
}

}  // namespace

bool count_only_ends(const TensorSpec& spec) {
  return has_ends(spec.dtype) && !may_pass_float16(spec);
}

// Few blocks hold any of these values; the others cost two comparisons a value.
void KindCounts::add_floats(const Kernels& set, const std::byte* floats, std::size_t n) {
  values += n;
  for (std::size_t start = 0; start < n; start += kBlock) {
    const std::size_t count = std::min(kBlock, n - start);
    const std::byte* const block = floats + start * sizeof(float);
    std::uint32_t least = 0, most = 0;
    set.range(block, count, least, most);
    if (least < kNormal - 1 || most > kLargestBits) count_float32(block, count, *this);
  }
}

Status KindCounts::add(const TensorView& tensor) {
  const DType dtype = tensor.spec->dtype;
  const std::optional<std::size_t> size = tensor.spec->byte_size();
  const std::size_t each = size_of(dtype);
  const std::byte* const bytes = tensor.bytes.data;
  const bool fits = size && each > 0 && *size == tensor.bytes.size;
  const std::size_t n = fits ? *size / each : 0;
  if (fits && dtype == DType::kFloat32 && tensor.spec->quantization.empty()) {
    add_floats(kernels(), bytes, n);
    return {};
  }
  switch (fits ? dtype : DType::kBool) {
    case DType::kInt8: saturated += at_ends<std::int8_t>(bytes, n); break;
    case DType::kUInt8: saturated += at_ends<std::uint8_t>(bytes, n); break;
    case DType::kInt16: saturated += at_ends<std::int16_t>(bytes, n); break;
    case DType::kUInt16: saturated += at_ends<std::uint16_t>(bytes, n); break;
    default: break;
  }
  if (fits && count_only_ends(*tensor.spec)) {
    values += n;
    return {};
  }
  const double smallest = is_float(dtype) ? least_normal(dtype) : 0;
  EP_TRY(const auto numbers, to_float(tensor));
  values += numbers.size();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    double value = double{numbers[i]};
    // Conversion to float would turn these values into infinity or zero.
    if (dtype == DType::kFloat64)
      std::memcpy(&value, tensor.bytes.data + i * sizeof(value), sizeof(value));
    count(value, smallest, *this);
    saturated += dtype == DType::kFloat16 && std::fabs(value) == kLargestFloat16;
  }
  return {};
}

void KindCounts::merge(const KindCounts& other) {
  values += other.values;
  nan += other.nan, infinite += other.infinite;
  denormal += other.denormal, saturated += other.saturated;
  beyond_float16 += other.beyond_float16;
}

}  // namespace edgeprobe::compare
