// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/sensor/problem.h"

namespace edgeprobe::diagnose::sensor {

/// What a fit of each axis cannot see past: rate, the window's own figures, order of steps, how the
/// values are stored. Each holds front ends that differ from the reference in one of these; the
/// reference's own value comes first.
struct Structures {
  std::vector<readings::FrontEnd> rates, owns, orders;
  std::vector<Reading> readings;
};
Structures structures(const Problem& problem);

/// The reference with the members of each.
readings::FrontEnd combined(const readings::FrontEnd& rate, const readings::FrontEnd& own,
                            const readings::FrontEnd& order, const Reading& reading);

}  // namespace edgeprobe::diagnose::sensor
