// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/sensor/fit.h"

namespace edgeprobe::diagnose::sensor {

/// A normalisation that may be the app's.
struct Norm {
  std::vector<double> mean, std;
  double measured = 0;  ///< As of a Candidate.
};
/// The reference's own, and others by its numbers: parts of it, mixed up, turned round.
std::vector<Norm> norms_of(const readings::FrontEnd& reference);
/// Mean and deviation that are the lines themselves, under the reference's units.
std::vector<Norm> measured_norms(const Problem& problem, const Fit& fit);

}  // namespace edgeprobe::diagnose::sensor
