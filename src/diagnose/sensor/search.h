// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/control.h"
#include "diagnose/sensor/problem.h"

namespace edgeprobe::diagnose::sensor {

/// Which smallest change of a reference's front end reproduces recorded model inputs.
struct Found {
  enum class Status {
    kEqual,  ///< The reference itself does.
    kExact,  ///< `app` does.
    /// `app` does, by numbers that a single window cannot tell from figures of its own.
    kMeasured,
    kUnknown,    ///< Nothing in the lists does.
    kDestroyed,  ///< Hardly any values are left to search in.
  } status = Status::kUnknown;
  readings::FrontEnd app;
  std::vector<readings::FrontEnd> equals;  ///< Others that these windows cannot tell from it.
  double before = 0, left = 0;             ///< Residuals in the problem's units.
  std::size_t evaluations = 0;
};
/// kInterrupted when it was stopped.
Result<Found> search(const Problem& problem, const Control& control);

}  // namespace edgeprobe::diagnose::sensor
