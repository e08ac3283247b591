// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/sensor/fit.h"

namespace edgeprobe::diagnose::sensor {

/// A front end that may be the app's.
struct Candidate {
  readings::FrontEnd app;
  /// Numbers that were measured and stand in no list: each is worth part of a kind, so that a name
  /// goes before a number.
  double measured = 0;
};

/// What lines from readings to axes may be: the structure's front end with other axes, units,
/// normalisations and codes. Measured numbers need several windows: in a single one, figures of
/// its own are constants as well.
std::vector<Candidate> named(const Problem& problem, const readings::FrontEnd& structure,
                             const Fit& fit);
/// The structure with the reference's axes, units and normalisation, or with the window's own
/// figures in place of the last: those hide units, and figures of all axes no fit of one axis sees.
std::vector<Candidate> unfitted(const Problem& problem, const readings::FrontEnd& structure);
/// Changes of the reference alone that need no fit: the units, and roundings of codes.
std::vector<Candidate> listed(const Problem& problem);

}  // namespace edgeprobe::diagnose::sensor
