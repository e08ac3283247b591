// SPDX-License-Identifier: Apache-2.0
#include "stats/significance.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace edgeprobe::stats {
namespace {

/// The continued fraction of the incomplete beta function by Lentz's method (1976); it converges
/// for x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300, kEnough = 1e-15;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (std::abs(d) < kTiny ? kTiny : d);
  double product = d;
  for (int m = 1; m < 500; ++m) {
    const double k = m;
    const double even = k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k));
    const double odd = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1));
    for (const double term : {even, odd}) {
      d = 1 + term * d;
      d = 1 / (std::abs(d) < kTiny ? kTiny : d);
      c = 1 + term / c;
      if (std::abs(c) < kTiny) c = kTiny;
      product *= c * d;
    }
    if (std::abs(c * d - 1) < kEnough) break;
  }
  return product;
}

/// The regularised incomplete beta function I_x(a, b).
double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                   : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

}  // namespace

double student_p(double t, double degrees) {
  if (std::isinf(t)) return 0;
  return incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

double student_t(double p, double degrees) {
  double low = 0, high = 1;
  while (student_p(high, degrees) > p && high < 1e9) high *= 2;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (student_p(middle, degrees) > p ? low : high) = middle;
  }
  return (low + high) / 2;
}

MeanTest mean_test(std::span<const double> values) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  MeanTest test;
  test.low = -kInfinite;
  test.high = kInfinite;
  if (values.empty()) return test;
  const double n = static_cast<double>(values.size());
  test.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (values.size() < 2) return test;
  double squares = 0;
  for (const double value : values) squares += (value - test.mean) * (value - test.mean);
  const double error = std::sqrt(squares / (n - 1) / n);
  const double half = student_t(0.05, n - 1) * error;
  test.low = test.mean - half;
  test.high = test.mean + half;
  test.p = test.mean == 0 ? 1 : error > 0 ? student_p(test.mean / error, n - 1) : 0;
  return test;
}

}  // namespace edgeprobe::stats
