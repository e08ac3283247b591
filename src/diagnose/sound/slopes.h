// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/sound/problem.h"

namespace edgeprobe::diagnose::sound {

/// The change by a small move of one number, and the rest: slopes and residuals.
struct Slopes {
  std::vector<double> slope, off;
};

/// Slopes and residuals across what a line per coefficient leaves, as `Score::fit` has it.
void leave_lines(const Problem::Pairs& here, Slopes& at);

}  // namespace edgeprobe::diagnose::sound
