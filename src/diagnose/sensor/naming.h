// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/sensor/candidate.h"
#include "diagnose/sensor/fit.h"

namespace edgeprobe::diagnose::sensor {

/// What lines from readings to axes may be: the structure's front end with other axes, units,
/// normalisations and codes.
std::vector<Candidate> named(const Problem& problem, const readings::FrontEnd& structure,
                             const Fit& fit);
/// The structure with the reference's axes, units and normalisation, or with the window's own
/// figures in place of the last: those hide units, and figures of all axes no fit of one axis sees.
std::vector<Candidate> unfitted(const Problem& problem, const readings::FrontEnd& structure);
/// The structure in the usual units, for inputs that hardly any line is left in; the reference's
/// own also with other normalisations and signs.
std::vector<Candidate> beyond_range(const Problem& problem, const readings::FrontEnd& structure);
/// Changes of the reference alone that need no fit: the units, and roundings of codes.
std::vector<Candidate> listed(const Problem& problem);

}  // namespace edgeprobe::diagnose::sensor
