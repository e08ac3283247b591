// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sensor/front_end.h"

namespace edgeprobe::diagnose::sensor {

/// A front end that may be the app's.
struct Candidate {
  edgeprobe::sensor::FrontEnd app;
  /// Numbers that were measured and stand in no list: each is worth part of a kind, so that a name
  /// goes before a number.
  double measured = 0;
};

}  // namespace edgeprobe::diagnose::sensor
