// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/sound/problem.h"

namespace edgeprobe::diagnose::sound {

/// For each output value, its change per small step of one member, and its residual.
struct Slopes {
  std::vector<double> slope, off;
};

/// Removes a line per coefficient from slopes and residuals, as `Score::fit` does.
void leave_lines(const Problem::Pairs& here, Slopes& at);

}  // namespace edgeprobe::diagnose::sound
