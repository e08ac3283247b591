// SPDX-License-Identifier: Apache-2.0
#include "diagnose/tensors/pairs.h"

#include <algorithm>

namespace edgeprobe::diagnose::tensors {
namespace {

/// Relative to the range of real values: rounding differences between two libraries, and between
/// two front ends with the same convention.
constexpr double kSameReal = 1e-6, kSlackReal = 2e-5;
/// Codes may round to the next one.
constexpr double kSameCode = 0.01, kSlackCode = 1.01;

}  // namespace

Pairs paired(std::vector<Pair> all, const Shape& shape, DType type,
             const std::optional<Codes>& codes, double least) {
  Pairs out{shape, type, codes, 0, 0, {}, {}, 0};
  const std::size_t size = element_count(shape).value_or(0);
  out.left_out = std::erase_if(all, [&](const Pair& pair) {
    return size == 0 || pair.wanted.size() != size || pair.fed.size() != size;
  });
  out.all = std::move(all);
  std::sort(out.all.begin(), out.all.end(),
            [](const Pair& a, const Pair& b) { return a.frame < b.frame; });
  double low = 0, high = 0;
  for (const Pair& pair : out.all)
    for (const float value : pair.wanted)
      if (std::isfinite(value))
        low = std::min(low, double(value)), high = std::max(high, double(value));
  out.same = codes ? kSameCode : std::max(least, kSameReal * (high - low));
  out.slack = codes ? kSlackCode : std::max(2 * least, kSlackReal * (high - low));
  for (std::size_t at = 0; at < out.all.size(); ++at) {
    const Pair& pair = out.all[at];
    for (std::size_t i = 0; i < size; ++i)
      if (!(std::abs(double(pair.fed[i]) - double(pair.wanted[i])) <= out.same)) {
        out.differs.push_back(at);
        break;
      }
  }
  return out;
}

std::vector<std::size_t> axes_of(const Shape& shape) {
  std::vector<std::size_t> axes;
  for (const std::int64_t size : shape)
    if (size > 1) axes.push_back(static_cast<std::size_t>(size));
  return axes;
}

}  // namespace edgeprobe::diagnose::tensors
