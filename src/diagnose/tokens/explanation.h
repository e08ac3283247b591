// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/tokens/changes.h"

namespace edgeprobe::diagnose::tokens {

/// Changes of the reference's front end that together give what was recorded.
struct Explanation {
  std::vector<Change> changes;
  text::FrontEnd front_end;
  double weight = 0;
  bool is_proven = false;  ///< Every change of it has enough bits (proof.h).
  double bits = 0;         ///< Of the change that has the fewest.
};

}  // namespace edgeprobe::diagnose::tokens
