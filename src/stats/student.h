// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace edgeprobe::stats {

/// The mean of independent values that should be zero on average, in their unit.
struct MeanTest {
  double mean = 0;
  double low = 0, high = 0;  ///< 95 %; infinite on both sides for fewer than two values.
  double p = 1;              ///< Two-sided, of a mean of zero.
};
/// Student's t test of one sample (1908); for pairs, pass the differences.
MeanTest mean_test(std::span<const double> values);

/// P(|T| >= |t|) of Student's distribution; `degrees` is above 0.
double student_p(double t, double degrees);
/// The t with student_p(t) = p; p is in (0, 1).
double student_t(double p, double degrees);

}  // namespace edgeprobe::stats
