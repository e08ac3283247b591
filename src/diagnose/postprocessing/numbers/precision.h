// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace edgeprobe::diagnose::numbers {

/// How an app rounds the numbers that it hands on, judged over all of them.
struct Precision {
  double half_unit = 0;     ///< Half a unit of the last decimal, where all have at most six.
  bool is_float16 = false;  ///< Each is a value of IEEE half precision.

  /// Largest difference that rounding explains.
  double slack(double value) const;
};

/// Decimals count where their unit is at most `coarsest` times the root mean square: coarser ones
/// say another thing than rounding.
Precision precision_of(const std::vector<double>& values, double coarsest);

/// The number with the fewest digits in (low, high]: what somebody would have typed.
double shortest_between(double low, double high);

/// Factors between what a recipe says and what was recorded, each counted once: frames with the
/// same factor are one fact.
class Factors {
 public:
  /// `precision`: relative, of the factor 1 with the change. Adds bits for a factor that is new and
  /// not 1.
  void add(double factor, double precision);
  double bits() const { return bits_; }

 private:
  std::vector<double> seen_;
  double bits_ = 0;
};

}  // namespace edgeprobe::diagnose::numbers
