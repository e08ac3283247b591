// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/sensor/problem.h"

namespace edgeprobe::diagnose::sensor {

/// Variants of `from` whose windows begin where pieces of the recorded input are found in the
/// readings: later or earlier, read from the middle of a ring buffer, or with an end without
/// readings. Finds pieces by correlation, which is independent of an axis' scale and offset. Does
/// not include `from` itself.
std::vector<readings::FrontEnd> places(const Problem& problem, const readings::FrontEnd& from,
                                       const Reading& reading);

}  // namespace edgeprobe::diagnose::sensor
