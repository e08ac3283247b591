#include "compare/kernel.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "compare/kernel_sets.h"

namespace edgeprobe::compare {

float Operand::at(std::size_t index) const {
  switch (element) {
    case Element::kFloat32: {
      float value;
      std::memcpy(&value, data + index * 4, 4);
      return value;
    }
    case Element::kInt8: return (static_cast<float>(static_cast<std::int8_t>(data[index])) - zero) * scale;
    case Element::kUInt8: return (static_cast<float>(static_cast<std::uint8_t>(data[index])) - zero) * scale;
  }
  return 0;
}

void NonFinite::add(float r, float t) {
  const bool bad_r = !std::isfinite(r), bad_t = !std::isfinite(t);
  if (!bad_r && !bad_t) {
    overflow += !std::isfinite(t - r);
    return;
  }
  nan_r += std::isnan(r);
  nan_t += std::isnan(t);
  inf_r += std::isinf(r);
  inf_t += std::isinf(t);
  const bool same = (std::isnan(r) && std::isnan(t)) || r == t;
  mismatch += !same;
}

ColumnSums::ColumnSums(std::size_t columns)
    : width(columns), padded((columns + 15) / 16 * 16), sums(kSums * padded), pivot_r(padded), pivot_t(padded),
      extremes(kExtremes * padded), counts(kCounts * padded), max_row(padded), non_finite(width) {
  clear();
}

void ColumnSums::clear() {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::fill(sums.begin(), sums.end(), 0.0);
  std::fill(counts.begin(), counts.end(), 0u);
  std::fill(max_row.begin(), max_row.end(), std::uint64_t{0});
  std::fill(non_finite.begin(), non_finite.end(), NonFinite{});
  for (int which = 0; which < kExtremes; ++which) {
    const float start = which == kMaxAbsD ? 0 : which == kMinR || which == kMinT ? kInfinity : -kInfinity;
    std::fill_n(extremes.begin() + static_cast<std::ptrdiff_t>(which * padded), padded, start);
  }
}

const Kernels& kernels() {
  static const Kernels& chosen = *available_kernels().back();
  return chosen;
}

std::vector<const Kernels*> available_kernels() {
  std::vector<const Kernels*> sets{&generic_kernels()};
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2) sets.push_back(&avx2_kernels());
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    sets.push_back(&avx512_kernels());
#endif
  return sets;
}

bool in_float_range(const Sums& s) {
  const double all = s.rr + s.tt + s.sq_d + std::fabs(s.rt) + std::fabs(s.r) + std::fabs(s.t) + s.abs_d;
  if (!std::isfinite(all)) return false;
  const auto trusted = [](float largest) { return largest == 0 || largest >= kSmallestTrusted; };
  return s.n == 0 || (trusted(s.max_abs_d) && trusted(s.max_r - s.min_r) && trusted(s.max_t - s.min_t));
}

void exact_block(const Operand& r, const Operand& t, std::size_t n, float pivot_r, float pivot_t, Sums& s) {
  s = {};
  s.min_r = s.min_t = std::numeric_limits<float>::infinity();
  s.max_r = s.max_t = -std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < n; ++i) {
    const float a = r.at(i), b = t.at(i), d = b - a;
    if (!std::isfinite(d)) continue;
    const double x = double{a} - pivot_r, y = double{b} - pivot_t, exact_d = double{b} - double{a};
    s.r += x;
    s.t += y;
    s.rr += x * x;
    s.tt += y * y;
    s.rt += x * y;
    s.abs_d += std::fabs(exact_d);
    s.sq_d += exact_d * exact_d;
    s.max_abs_d = std::max(s.max_abs_d, std::fabs(d));
    s.min_r = std::min(s.min_r, a);
    s.max_r = std::max(s.max_r, a);
    s.min_t = std::min(s.min_t, b);
    s.max_t = std::max(s.max_t, b);
    ++s.n;
    s.zeros_r += a == 0;
    s.zeros_t += b == 0;
    s.equal += a == b;
  }
}

void exact_columns(const Operand& r, const Operand& t, std::size_t rows, std::uint64_t first_row,
                   std::size_t column, std::size_t count, ColumnSums& s) {
  const std::size_t p = s.padded;
  for (std::size_t c = column; c < column + count; ++c) {
    for (std::size_t row = 0; row < rows; ++row) {
      const float a = r.at(row * s.width + c), b = t.at(row * s.width + c), d = b - a;
      if (!std::isfinite(d)) continue;
      const double x = double{a} - s.pivot_r[c], y = double{b} - s.pivot_t[c], exact_d = double{b} - double{a};
      s.sums[ColumnSums::kR * p + c] += x;
      s.sums[ColumnSums::kT * p + c] += y;
      s.sums[ColumnSums::kRR * p + c] += x * x;
      s.sums[ColumnSums::kTT * p + c] += y * y;
      s.sums[ColumnSums::kRT * p + c] += x * y;
      s.sums[ColumnSums::kAbsD * p + c] += std::fabs(exact_d);
      s.sums[ColumnSums::kSqD * p + c] += exact_d * exact_d;
      float* extremes = s.extremes.data() + c;
      if (std::fabs(d) > extremes[ColumnSums::kMaxAbsD * p]) {
        extremes[ColumnSums::kMaxAbsD * p] = std::fabs(d);
        s.max_row[c] = first_row + row;
      }
      extremes[ColumnSums::kMinR * p] = std::min(extremes[ColumnSums::kMinR * p], a);
      extremes[ColumnSums::kMaxR * p] = std::max(extremes[ColumnSums::kMaxR * p], a);
      extremes[ColumnSums::kMinT * p] = std::min(extremes[ColumnSums::kMinT * p], b);
      extremes[ColumnSums::kMaxT * p] = std::max(extremes[ColumnSums::kMaxT * p], b);
      s.counts[ColumnSums::kN * p + c] += 1;
      s.counts[ColumnSums::kZerosR * p + c] += a == 0;
      s.counts[ColumnSums::kZerosT * p + c] += b == 0;
      s.counts[ColumnSums::kEqual * p + c] += a == b;
    }
  }
}

void classify_columns(const Operand& r, const Operand& t, std::size_t rows, std::size_t column,
                      std::size_t count, ColumnSums& s) {
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t c = column; c < column + count; ++c)
      s.non_finite[c].add(r.at(row * s.width + c), t.at(row * s.width + c));
}

}  // namespace edgeprobe::compare
