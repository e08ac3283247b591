// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sensor/front_end.h"

namespace edgeprobe::diagnose::sensor {

/// A possible front end of the app.
struct Candidate {
  edgeprobe::sensor::FrontEnd app;
  /// Cost of measured values that are in no list: each adds a part of the cost of a fault, so that
  /// named values are preferred.
  double measured = 0;
};

}  // namespace edgeprobe::diagnose::sensor
