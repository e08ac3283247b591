// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace edgeprobe::diagnose::numbers {

/// How an app rounds its numbers, judged over all of them.
struct Precision {
  double half_unit = 0;     ///< Half a unit of the last decimal, if all have at most six decimals.
  bool is_float16 = false;  ///< All are values of IEEE half precision.

  /// Largest difference explained by rounding.
  double slack(double value) const;
};

/// Decimals count only if their unit is at most `coarsest` times the root mean square: coarser
/// steps are not rounding.
Precision precision_of(const std::vector<double>& values, double coarsest);

/// The number with the fewest digits in (low, high], as a person would have typed it.
double shortest_between(double low, double high);

/// Ratios of recorded to predicted values. Frames with the same factor count as one observation.
class Factors {
 public:
  /// `precision`: relative tolerance of the factor 1 with the change. Adds bits for a new factor
  /// that differs from 1.
  void add(double factor, double precision);
  double bits() const { return bits_; }

 private:
  std::vector<double> seen_;
  double bits_ = 0;
};

}  // namespace edgeprobe::diagnose::numbers
