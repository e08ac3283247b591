// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/sensor/candidate.h"
#include "diagnose/sensor/fit.h"

namespace edgeprobe::diagnose::sensor {

/// Interpretations of the lines from readings to axes: the structure's front end with other axes,
/// units, normalisations and codes.
std::vector<Candidate> named(const Problem& problem, const readings::FrontEnd& structure,
                             const Fit& fit);
/// The structure with the reference's axes, units and normalisation, or with the window's own
/// statistics instead of that normalisation. The window's statistics hide units, and a fit of one
/// axis cannot detect statistics over all axes.
std::vector<Candidate> unfitted(const Problem& problem, const readings::FrontEnd& structure);
/// The structure in usual units, for inputs without a usable line; the reference's own structure
/// also with other normalisations and signs.
std::vector<Candidate> beyond_range(const Problem& problem, const readings::FrontEnd& structure);
/// Changes of only the reference that need no fit: units, and roundings of codes.
std::vector<Candidate> listed(const Problem& problem);

}  // namespace edgeprobe::diagnose::sensor
