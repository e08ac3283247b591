// SPDX-License-Identifier: Apache-2.0
#include "compare/metrics/kernel.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace edgeprobe::compare {

float Operand::at(std::size_t index) const {
  switch (element) {
    case Element::kFloat32: {
      float value;
      std::memcpy(&value, data + index * 4, 4);
      return value;
    }
    case Element::kInt8:
      return (static_cast<float>(static_cast<std::int8_t>(data[index])) - zero) * scale;
    case Element::kUInt8:
      return (static_cast<float>(static_cast<std::uint8_t>(data[index])) - zero) * scale;
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

bool in_float_range(const Sums& s) {
  const double all =
      s.rr + s.tt + s.sq_d + std::fabs(s.rt) + std::fabs(s.r) + std::fabs(s.t) + s.abs_d;
  if (!std::isfinite(all)) return false;
  const auto trusted = [](float largest) { return largest == 0 || largest >= kSmallestTrusted; };
  return s.n == 0 ||
         (trusted(s.max_abs_d) && trusted(s.max_r - s.min_r) && trusted(s.max_t - s.min_t));
}

void exact_block(const Operand& r, const Operand& t, std::size_t n, float pivot_r, float pivot_t,
                 Sums& s) {
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

void exact_squares(const Operand& r, const Operand& t, std::size_t rows, std::size_t width,
                   double* columns) {
  for (std::size_t i = 0; i < rows * width; ++i) {
    const float a = r.at(i), b = t.at(i);
    if (!std::isfinite(b - a)) continue;
    const double d = double{b} - double{a};
    columns[i % width] += d * d;
  }
}

}  // namespace edgeprobe::compare
