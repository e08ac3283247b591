// SPDX-License-Identifier: Apache-2.0
#include "compare/metrics/moments.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::compare {
namespace {

// The quotient; nothing if it is not a usable number.
std::optional<double> ratio(double numerator, double denominator) {
  if (!(denominator > 0)) return std::nullopt;
  const double value = numerator / denominator;
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> decibel(double numerator, double denominator) {
  const auto quotient = ratio(numerator, denominator);
  if (!quotient || !(*quotient > 0)) return std::nullopt;
  return 10 * std::log10(*quotient);
}

std::optional<double> root(std::optional<double> square) {
  if (!square) return std::nullopt;
  return std::sqrt(std::max(0.0, *square));
}

}  // namespace

void Moments::merge(const Moments& other) {
  if (n == 0 && nan_r + nan_t + inf_r + inf_t + overflow == 0) {
    *this = other;
    return;
  }
  nan_r += other.nan_r;
  nan_t += other.nan_t;
  inf_r += other.inf_r;
  inf_t += other.inf_t;
  non_finite_mismatch += other.non_finite_mismatch;
  overflow += other.overflow;
  if (other.n == 0) return;
  if (other.max_abs_d > max_abs_d) {
    max_abs_d = other.max_abs_d;
    max_index = other.max_index;
  }
  const bool first = n == 0;
  min_r = first ? other.min_r : std::min(min_r, other.min_r);
  max_r = first ? other.max_r : std::max(max_r, other.max_r);
  min_t = first ? other.min_t : std::min(min_t, other.min_t);
  max_t = first ? other.max_t : std::max(max_t, other.max_t);
  sum_abs_d += other.sum_abs_d;
  sum_sq_d += other.sum_sq_d;
  zeros_r += other.zeros_r;
  zeros_t += other.zeros_t;
  equal += other.equal;

  const double before = static_cast<double>(n), added = static_cast<double>(other.n),
               all = before + added;
  const double shift_r = other.mean_r - mean_r, shift_t = other.mean_t - mean_t;
  const double weight = before * added / all;
  m2_r += other.m2_r + shift_r * shift_r * weight;
  m2_t += other.m2_t + shift_t * shift_t * weight;
  c_rt += other.c_rt + shift_r * shift_t * weight;
  mean_r += shift_r * (added / all);
  mean_t += shift_t * (added / all);
  n += other.n;
}

Distances distances(const Moments& m) {
  Distances d;
  const bool seen = m.n + m.nan_r + m.nan_t + m.inf_r + m.inf_t > 0;
  d.exact = seen && m.equal == m.n && m.non_finite_mismatch == 0 && m.overflow == 0;
  if (m.n == 0) return d;
  const double n = static_cast<double>(m.n);
  const double sum_rr = m.m2_r + n * m.mean_r * m.mean_r;
  const double sum_tt = m.m2_t + n * m.mean_t * m.mean_t;
  const double sum_rt = m.c_rt + n * m.mean_r * m.mean_t;
  const double range_r = m.max_r - m.min_r, range_t = m.max_t - m.min_t;
  const double rmse = std::sqrt(m.sum_sq_d / n);
  d.rmse = rmse;
  d.mae = m.sum_abs_d / n;
  d.max_abs = m.max_abs_d;
  d.rmse_over_range = ratio(rmse, std::max(range_r, range_t));
  d.snr_db = decibel(sum_rr, m.sum_sq_d);
  d.psnr_db = decibel(range_r * range_r, m.sum_sq_d / n);
  if (const auto c = ratio(sum_rt, std::sqrt(sum_rr) * std::sqrt(sum_tt)))
    d.cosine = std::clamp(*c, -1.0, 1.0);
  if (const auto p = ratio(m.c_rt, std::sqrt(m.m2_r) * std::sqrt(m.m2_t)))
    d.pearson = std::clamp(*p, -1.0, 1.0);
  d.nse_error = ratio(m.sum_sq_d, m.m2_r);
  d.relative_l2 = root(ratio(m.sum_sq_d, sum_rr));
  if (const auto gain = ratio(m.c_rt, m.m2_r)) {
    d.gain = gain;
    d.offset = m.mean_t - *gain * m.mean_r;
  }
  return d;
}

}  // namespace edgeprobe::compare
