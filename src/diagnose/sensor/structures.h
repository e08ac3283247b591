// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/sensor/problem.h"

namespace edgeprobe::diagnose::sensor {

/// Properties that must be right before the axes can be fitted: rate, the window's own statistics,
/// order of steps, storage of values. Each list holds front ends that differ from the reference in
/// one of these, the reference's own value first.
struct Structures {
  std::vector<readings::FrontEnd> rates, owns, orders;
  std::vector<Reading> readings;
};
Structures structures(const Problem& problem);

/// The reference with the rate, statistics, order and storage of these.
readings::FrontEnd combined(const readings::FrontEnd& rate, const readings::FrontEnd& own,
                            const readings::FrontEnd& order, const Reading& reading);

}  // namespace edgeprobe::diagnose::sensor
