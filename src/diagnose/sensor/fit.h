// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/sensor/problem.h"

namespace edgeprobe::diagnose::sensor {

/// Straight line from a column of readings to an axis of the recorded input.
struct AxisFit {
  std::size_t of = 0;  ///< Index of the column.
  double slope = 0, offset = 0;
  double slope_error = 0;  ///< Relative standard error.
  bool known = false;      ///< Enough distinct values that are not clipped.
};
struct Fit {
  std::vector<AxisFit> axes;
  double left = 0;  ///< The residual: RMS in the problem's units, over all axes.
};
/// The columns of one observation's readings under the structure being tried.
struct Shown {
  readings::Table window;
  std::vector<bool> filled;  ///< Steps without a reading; excluded from the fit.
};
/// Chooses for each axis the column whose line has the smallest residual; the reference's if equal
/// or undecidable. `shown`: one for every observation.
Fit fit(const Problem& problem, const std::vector<Shown>& shown, const Reading& reading);

/// The lines for codes with another step: scaled by `by`.
Fit scaled(Fit fit, double by);
/// Refits lines of codes so that they pass through the interval that a rounding assigns to each
/// code, as far as possible: with few codes, plain regression is off by a fraction of a step.
Fit refined(const Problem& problem, const std::vector<Shown>& shown, const Reading& reading,
            Fit fit, readings::Codes codes);
/// The same for codes that wrap round, from differences between neighbours, which are correct
/// except for single jumps. Determines offsets only up to whole turns.
Fit fit_wrapped(const Problem& problem, const std::vector<Shown>& shown, const Reading& reading);
/// True if codes jump from one end to the other, so that they may wrap round.
bool jumps(const Problem& problem, const Reading& reading);

}  // namespace edgeprobe::diagnose::sensor
