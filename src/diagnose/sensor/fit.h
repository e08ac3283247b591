// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/sensor/problem.h"

namespace edgeprobe::diagnose::sensor {

/// The straight line that leads from a column of readings to an axis of the recorded input.
struct AxisFit {
  std::size_t of = 0;  ///< Column.
  double slope = 0, offset = 0;
  double slope_error = 0;  ///< Standard error, relative.
  bool known = false;      ///< Enough values that differ and are not cut off.
};
struct Fit {
  std::vector<AxisFit> axes;
  double left = 0;  ///< RMS in the problem's units, over all axes.
};
/// The columns of one observation's readings, in the structure that is tried.
struct Shown {
  readings::Table window;
  std::vector<bool> filled;  ///< Steps that no reading is behind: they take no part.
};
/// For each axis the column whose line leaves least; among equals, and where none can be told, the
/// reference's. `shown`: of every observation.
Fit fit(const Problem& problem, const std::vector<Shown>& shown, const Reading& reading);

}  // namespace edgeprobe::diagnose::sensor
