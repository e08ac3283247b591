// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/sensor/problem.h"

namespace edgeprobe::diagnose::sensor {

/// Front ends like `from` whose windows lie where pieces of the recorded input are found in the
/// readings: later or earlier, read from the middle of a ring buffer, or with an end that nothing
/// was read for. Pieces are found by correlation, so that scale and offset of an axis do not
/// matter. `from` itself is not among them.
std::vector<readings::FrontEnd> places(const Problem& problem, const readings::FrontEnd& from,
                                       const Reading& reading);

}  // namespace edgeprobe::diagnose::sensor
