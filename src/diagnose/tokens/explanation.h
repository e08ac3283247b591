// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/tokens/changes.h"
#include "search/finding.h"

namespace edgeprobe::diagnose::tokens {

/// Changes of the reference's front end that together reproduce the recording.
struct Explanation {
  std::vector<Change> changes;
  FrontEnd front_end;
  double weight = 0;
  bool is_proven = false;  ///< Each of its changes has enough bits (proof.h).
  search::Proof proof;     ///< The proof of the change with the smallest margin.
  /// Only one text shows the template: another template text would explain it as well.
  bool is_of_one_text = false;
};

}  // namespace edgeprobe::diagnose::tokens
