// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "diagnose/sensor/norms.h"

namespace edgeprobe::diagnose::sensor {

/// Relative tolerance, in addition to five standard errors of a slope.
constexpr double kSlopeSnap = 2e-6;
/// Cost of a measured factor or scale in addition to its kind.
constexpr double kMeasuredFactor = 0.5;

/// Factors between common units of sensors, systems and data sets.
std::span<const double> usual_units();

/// Factors on the reference's scale that the slopes imply under a normalisation.
struct Unit {
  std::vector<double> scale;
  double measured = 0;  ///< As Candidate::measured.
};
std::vector<Unit> units_of(const Problem& problem, const Fit& fit, const Norm& norm);

}  // namespace edgeprobe::diagnose::sensor
