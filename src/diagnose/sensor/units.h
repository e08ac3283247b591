// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "diagnose/sensor/norms.h"

namespace edgeprobe::diagnose::sensor {

constexpr double kSlopeSnap = 2e-6;  ///< Relative, beside five standard errors of a slope.
/// What a measured factor or scale costs beside its kind.
constexpr double kMeasuredFactor = 0.5;

/// Factors between units that sensors, systems and data sets have.
std::span<const double> usual_units();

/// Factors on the reference's scale that the slopes are under a normalisation.
struct Unit {
  std::vector<double> scale;
  double measured = 0;  ///< As of a Candidate.
};
std::vector<Unit> units_of(const Problem& problem, const Fit& fit, const Norm& norm);

}  // namespace edgeprobe::diagnose::sensor
