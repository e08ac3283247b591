// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "diagnose/preprocessing/search/consensus.h"

namespace edgeprobe::diagnose {

/// A fault that no recipe says, exact on all frames that were searched.
struct Beyond {
  InputFault fault;                 ///< InputFault::without_it is left empty.
  double residual = 0;              ///< What it leaves, in gray steps.
  std::vector<InputFault> besides;  ///< Differences of the recipe that come with it.
  /// The same for another frame; nothing when nobody looked. Holds what it needs.
  std::function<std::optional<double>(Frame&)> left;
  std::vector<Evidence> evidence;
};

}  // namespace edgeprobe::diagnose
