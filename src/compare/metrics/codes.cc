// SPDX-License-Identifier: Apache-2.0
#include "compare/metrics/codes.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::compare {

bool same_codes(const Operand& r, const Operand& t) {
  // Accepts the scales and zero points of usual models; others may overflow, and a value that
  // underflows to zero is not a zero point.
  const bool usual = r.scale > 1e-30f && r.scale < 1e30f && std::fabs(r.zero) < 65536 &&
                     r.zero == std::floor(r.zero);
  return r.element != Element::kFloat32 && r.element == t.element && r.scale == t.scale &&
         r.zero == t.zero && usual;
}

void add(CodeSums& into, const CodeSums& block) {
  if (into.n == 0) {
    into = block;
    return;
  }
  into.n += block.n;
  into.r += block.r;
  into.t += block.t;
  into.rr += block.rr;
  into.tt += block.tt;
  into.abs_d += block.abs_d;
  into.sq_d += block.sq_d;
  into.zeros_r += block.zeros_r;
  into.zeros_t += block.zeros_t;
  into.ends_r += block.ends_r;
  into.ends_t += block.ends_t;
  into.equal += block.equal;
  into.max_abs_d = std::max(into.max_abs_d, block.max_abs_d);
  into.min_r = std::min(into.min_r, block.min_r);
  into.max_r = std::max(into.max_r, block.max_r);
  into.min_t = std::min(into.min_t, block.min_t);
  into.max_t = std::max(into.max_t, block.max_t);
}

Moments moments_of(const CodeSums& s, const Operand& codes) {
  Moments m;
  m.n = s.n;
  m.zeros_r = s.zeros_r;
  m.zeros_t = s.zeros_t;
  m.equal = s.equal;
  if (s.n == 0) return m;
  const auto count = static_cast<std::int64_t>(s.n);
  const double n = static_cast<double>(s.n), scale = double{codes.scale}, zero = double{codes.zero};
  // Integer sums around a code near the mean, so that floating point only subtracts small
  // remainders.
  const std::int64_t near_r = s.r / count, near_t = s.t / count;
  const double rest_r = static_cast<double>(s.r - count * near_r),
               rest_t = static_cast<double>(s.t - count * near_t);
  const std::int64_t rr = s.rr - 2 * near_r * s.r + count * near_r * near_r;
  const std::int64_t tt = s.tt - 2 * near_t * s.t + count * near_t * near_t;
  const std::int64_t products = (s.rr + s.tt - s.sq_d) / 2;
  const std::int64_t rt = products - near_r * s.t - near_t * s.r + count * near_r * near_t;
  m.mean_r = scale * (static_cast<double>(s.r) / n - zero);
  m.mean_t = scale * (static_cast<double>(s.t) / n - zero);
  m.m2_r = scale * scale * std::max(0.0, static_cast<double>(rr) - rest_r * rest_r / n);
  m.m2_t = scale * scale * std::max(0.0, static_cast<double>(tt) - rest_t * rest_t / n);
  m.c_rt = scale * scale * (static_cast<double>(rt) - rest_r * rest_t / n);
  m.sum_abs_d = scale * static_cast<double>(s.abs_d);
  m.sum_sq_d = scale * scale * static_cast<double>(s.sq_d);
  m.max_abs_d = scale * s.max_abs_d;
  const auto real = [&](int code) {
    return double{(static_cast<float>(code) - codes.zero) * codes.scale};
  };
  m.min_r = real(s.min_r);
  m.max_r = real(s.max_r);
  m.min_t = real(s.min_t);
  m.max_t = real(s.max_t);
  return m;
}

}  // namespace edgeprobe::compare
