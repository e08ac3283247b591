// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/control.h"
#include "diagnose/sensor/problem.h"
#include "search/found.h"

namespace edgeprobe::diagnose::sensor {

using Found = search::Found<readings::FrontEnd>;

/// Finds the smallest change of the reference's front end that reproduces the recorded inputs.
/// kInterrupted if it was stopped.
Result<Found> search(const Problem& problem, const Control& control);

}  // namespace edgeprobe::diagnose::sensor
