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

/// The lines as codes of another step show them, `by` times as large.
Fit scaled(Fit fit, double by);
/// Lines of codes again, through the intervals that a rounding gives each code as far as there is
/// such a line: regression alone is off by some of a step where codes are few.
Fit refined(const Problem& problem, const std::vector<Shown>& shown, const Reading& reading,
            Fit fit, readings::Codes codes);
/// The same of codes that wrap round, from the differences of neighbours: those are whole but for
/// single jumps. Offsets are known but for whole turns.
Fit fit_wrapped(const Problem& problem, const std::vector<Shown>& shown, const Reading& reading);
/// Whether codes jump from end to end anywhere, so that they may wrap round.
bool jumps(const Problem& problem, const Reading& reading);

}  // namespace edgeprobe::diagnose::sensor
