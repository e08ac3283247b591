// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/control.h"
#include "diagnose/sound/problem.h"
#include "search/found.h"

namespace edgeprobe::diagnose::sound {

using Found = search::Found<audio::FrontEnd>;

/// Finds the smallest change of the reference's front end that reproduces the recorded inputs.
/// kInterrupted if it was stopped.
Result<Found> search(Problem& problem, const audio::Clip& clip, const Control& control);

}  // namespace edgeprobe::diagnose::sound
