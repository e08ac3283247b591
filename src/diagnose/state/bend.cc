// SPDX-License-Identifier: Apache-2.0
#include "diagnose/state/bend.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>

#include "core/dtype.h"

namespace edgeprobe::diagnose::state {
namespace {

constexpr int kMostDecimals = 6;
/// Permutations are tried only along axes with at most this many entries (24 orders).
constexpr std::int64_t kMostPermuted = 4;
constexpr int kMostLevels = 255;  // Steps between 256 levels.
/// Distinct values required to detect levels beyond chance: with six and kOnLevel, a random tensor
/// passes in 400 * (2 * kOnLevel)^4 of all cases.
constexpr std::size_t kTelling = 6;
constexpr double kOnLevel = 1e-3;  // In steps; float32 is off by 1e-5 of 255 steps.
constexpr double kFloat32 = 2.4e-7;
constexpr double kChance = -6;  // log10

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

double as_float16(double value) {
  return double(half_to_float(float_to_half(static_cast<float>(value))));
}

double as_bfloat16(double value, bool rounded) {
  const auto single = static_cast<float>(value);
  if (!std::isfinite(single)) return value;
  std::uint32_t bits = 0;
  std::memcpy(&bits, &single, sizeof bits);
  if (rounded) bits += 0x7FFFu + ((bits >> 16) & 1u);
  return double(bfloat16_to_float(static_cast<std::uint16_t>(bits >> 16)));
}

/// True if `digits` decimals are more than chance, given how closely a float32 approximates any
/// decimal fraction, over all distinct values.
bool tells_decimals(const Values& got, int digits) {
  double most = 0;
  std::set<double> values;
  for (const double value : got) {
    if (!std::isfinite(value) || value == 0) continue;
    most = std::max(most, std::abs(value));
    if (values.size() < 8) values.insert(value);
  }
  const double chance = 2 * kFloat32 * most * std::pow(10.0, digits);
  return chance < 0.1 && double(values.size()) * std::log10(chance) <= kChance;
}

bool is_decimal(double got, double given, int digits) {
  if (!std::isfinite(got) || !std::isfinite(given)) return same(got, given);
  const double unit = std::pow(10.0, digits), scaled = given * unit;
  const double nearest = std::round(got * unit);
  // A value halfway may round either way.
  if (std::abs(nearest - scaled) > 0.5 + kFloat32 * std::abs(scaled)) return false;
  return std::abs(got - nearest / unit) <= kFloat32 * std::abs(got);
}

std::size_t product(const Shape& shape, std::size_t begin, std::size_t end) {
  std::size_t count = 1;
  for (std::size_t axis = begin; axis < end; ++axis)
    count *= static_cast<std::size_t>(std::max<std::int64_t>(shape[axis], 0));
  return count;
}

bool is_permuted(const Values& got, const Values& given, const Bend& bend, const Shape& shape) {
  const auto axis = static_cast<std::size_t>(bend.a);
  const auto count = static_cast<std::size_t>(shape[axis]);
  const std::size_t inner = product(shape, axis + 1, shape.size());
  const auto order = permutation(count, bend.b);
  for (std::size_t i = 0; i < got.size(); ++i) {
    const std::size_t block = i / inner, entry = block % count;
    if (!same(got[i], given[(block - entry + order[entry]) * inner + i % inner])) return false;
  }
  return true;
}

bool is_transposed(const Values& got, const Values& given, const Bend& bend, const Shape& shape) {
  // The values of the transposed tensor, row by row, under the unchanged shape.
  Shape turned = shape;
  std::vector<std::size_t> strides(shape.size(), 1);
  for (std::size_t axis = shape.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * static_cast<std::size_t>(shape[axis]);
  std::swap(turned[std::size_t(bend.a)], turned[std::size_t(bend.b)]);
  std::swap(strides[std::size_t(bend.a)], strides[std::size_t(bend.b)]);
  for (std::size_t i = 0; i < got.size(); ++i) {
    std::size_t rest = i, from = 0;
    for (std::size_t axis = turned.size(); axis-- > 0;) {
      const auto size = static_cast<std::size_t>(turned[axis]);
      from += rest % size * strides[axis];
      rest /= size;
    }
    if (!same(got[i], given[from])) return false;
  }
  return true;
}

template <class Change>
bool each_is(const Values& got, const Values& given, const Change& change) {
  for (std::size_t i = 0; i < got.size(); ++i)
    if (!change(got[i], given[i])) return false;
  return true;
}

/// True if values are at `origin` plus multiples of `step`, each the nearest to the given value, or
/// the last level if that is out of range.
bool on_levels(const Values& got, const Values& given, double origin, double step, double low,
               double high) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double level = (got[i] - origin) / step;
    if (std::abs(level - std::round(level)) > kOnLevel) return false;
    const bool cut = (got[i] == high && given[i] > high) || (got[i] == low && given[i] < low);
    if (!cut && std::abs(got[i] - given[i]) > step * (0.5 + kOnLevel)) return false;
  }
  return true;
}

}  // namespace

std::vector<std::size_t> permutation(std::size_t count, int b) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (int i = 0; i < b; ++i) std::next_permutation(order.begin(), order.end());
  return order;
}

std::vector<Bend> bends(const Shape& shape) {
  std::vector<Bend> all{{BendKind::kFloat16},
                        {BendKind::kBFloat16},
                        {BendKind::kBFloat16Cut},
                        {BendKind::kLevels},
                        {BendKind::kNegated}};
  for (int digits = 1; digits <= kMostDecimals; ++digits)
    all.push_back({BendKind::kDecimals, digits});
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] < 2 || shape[axis] > kMostPermuted) continue;
    int orders = 1;
    for (std::int64_t n = 2; n <= shape[axis]; ++n) orders *= static_cast<int>(n);
    for (int b = 1; b < orders; ++b) all.push_back({BendKind::kPermuted, int(axis), b});
  }
  for (std::size_t a = 0; a < shape.size(); ++a)
    for (std::size_t b = a + 1; b < shape.size(); ++b)
      if (shape[a] > 1 && shape[b] > 1) all.push_back({BendKind::kTransposed, int(a), int(b)});
  return all;
}

std::optional<double> level_step(const Values& got, const Values& given) {
  std::set<double> levels;
  for (const double value : got) {
    if (!std::isfinite(value)) return std::nullopt;
    if (levels.size() <= std::size_t{kMostLevels} + 1) levels.insert(value);
  }
  if (levels.size() < kTelling || levels.size() > std::size_t{kMostLevels} + 1) return std::nullopt;
  const double low = *levels.begin(), high = *levels.rbegin();
  const double most = std::max(std::abs(low), std::abs(high));
  for (int k = 1; k <= kMostLevels; ++k)
    for (const auto& [origin, reach] : {std::pair(0.0, most), std::pair(low, high - low)})
      if (on_levels(got, given, origin, reach / k, low, high)) return reach / k;
  return std::nullopt;
}

bool is_bent(const Values& got, const Values& given, const Bend& bend, const Shape& shape) {
  if (got.size() != given.size()) return false;
  switch (bend.kind) {
    case BendKind::kNone: return each_is(got, given, same);
    case BendKind::kFloat16:
      return each_is(got, given, [](double g, double x) { return same(g, as_float16(x)); });
    case BendKind::kBFloat16:
      return each_is(got, given, [](double g, double x) { return same(g, as_bfloat16(x, true)); });
    case BendKind::kBFloat16Cut:
      return each_is(got, given, [](double g, double x) { return same(g, as_bfloat16(x, false)); });
    case BendKind::kLevels: return level_step(got, given).has_value();
    case BendKind::kDecimals:
      return each_is(got, given, [&](double g, double x) { return is_decimal(g, x, bend.a); }) &&
             tells_decimals(got, bend.a);
    case BendKind::kNegated:
      return each_is(got, given, [](double g, double x) { return same(g, -x); });
    case BendKind::kPermuted: return is_permuted(got, given, bend, shape);
    case BendKind::kTransposed: return is_transposed(got, given, bend, shape);
  }
  return false;
}

}  // namespace edgeprobe::diagnose::state
