// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/sensor/fit.h"

namespace edgeprobe::diagnose::sensor {

/// A possible normalisation of the app.
struct Norm {
  std::vector<double> mean, std;
  double measured = 0;  ///< As Candidate::measured.
};
/// The reference's own, and variants with its values: partial, mixed up, reversed.
std::vector<Norm> norms_of(const readings::FrontEnd& reference);
/// Mean and deviation that the lines imply under the reference's units.
std::vector<Norm> measured_norms(const Problem& problem, const Fit& fit);

}  // namespace edgeprobe::diagnose::sensor
