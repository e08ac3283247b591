// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

/// The single significance level for differences.
namespace edgeprobe::stats {

/// Fisher's convention (1925): one in twenty tests of equal things reports a difference. Multiple
/// tests adjust their p first; see holm().
inline constexpr double kAlpha = 0.05;

/// True if chance would produce a result this uneven less often than kAlpha.
constexpr bool is_significant(double p) { return p < kAlpha; }

/// True if the target does worse than the reference by more than chance. `p`: of the two-sided
/// paired test; `target`, `reference`: correct answers of each, as counts or fractions.
template <class Number>
constexpr bool is_loss(double p, Number target, Number reference) {
  return is_significant(p) && target < reference;
}

/// The mean of independent values whose expectation should be zero, in their unit.
struct MeanTest {
  double mean = 0;
  double low = 0, high = 0;  ///< 95 %; infinite on both sides for fewer than two values.
  double p = 1;              ///< Two-sided, for a mean of zero.
};
/// Student's one-sample t test (1908); for pairs, pass the differences.
MeanTest mean_test(std::span<const double> values);

/// P(|T| >= |t|) of Student's distribution; `degrees` is above 0.
double student_p(double t, double degrees);
/// The t with student_p(t) = p; p is in (0, 1).
double student_t(double p, double degrees);

}  // namespace edgeprobe::stats
