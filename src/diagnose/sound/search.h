// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/control.h"
#include "diagnose/sound/problem.h"
#include "search/found.h"

namespace edgeprobe::diagnose::sound {

using Found = search::Found<audio::FrontEnd>;

/// Which smallest change of the reference's front end reproduces the recorded inputs.
/// kInterrupted when it was stopped.
Result<Found> search(Problem& problem, const audio::Clip& clip, const Control& control);

}  // namespace edgeprobe::diagnose::sound
