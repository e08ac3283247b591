// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/tokens/changes.h"
#include "search/finding.h"

namespace edgeprobe::diagnose::tokens {

/// Changes of the reference's front end that together give what was recorded.
struct Explanation {
  std::vector<Change> changes;
  FrontEnd front_end;
  double weight = 0;
  bool is_proven = false;  ///< Every change of it has enough bits (proof.h).
  search::Proof proof;     ///< Of the change that has the least to spare.
  /// A template that one text alone shows: another text than the one at hand explains it as well.
  bool is_of_one_text = false;
};

}  // namespace edgeprobe::diagnose::tokens
