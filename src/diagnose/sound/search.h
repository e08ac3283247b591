// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/control.h"
#include "diagnose/sound/problem.h"

namespace edgeprobe::diagnose::sound {

/// Which smallest change of a reference's front end reproduces recorded model inputs.
struct Found {
  enum class Status {
    kEqual,      ///< The reference itself does.
    kExact,      ///< `app` does.
    kPartial,    ///< `app` is nearest, and explains most of it; never a cause.
    kUnknown,    ///< Nothing in the lists comes near.
    kDestroyed,  ///< Hardly any values are left to search in.
  } status = Status::kUnknown;
  audio::FrontEnd app;
  std::vector<audio::FrontEnd> equals;  ///< Others that these recordings cannot tell from it.
  double before = 0, left = 0;          ///< Residuals in the problem's units.
  std::size_t evaluations = 0;
};
/// kInterrupted when it was stopped.
Result<Found> search(Problem& problem, const audio::Clip& clip, const Control& control);

}  // namespace edgeprobe::diagnose::sound
