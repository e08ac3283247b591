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

/// What is tried where no recipe reproduces the recorded inputs.
std::optional<Beyond> beyond_recipes(std::vector<Frame>& frames,
                                     const std::vector<Explanation>& explanations,
                                     const Consensus& nearest, const Reference& reference,
                                     const Hypothesis& own);

/// "Each frame has its own gain": every frame is exact by itself, and they differ in nothing but
/// their lines. Two frames at least.
std::optional<Beyond> explain_by_own_ranges(std::vector<Frame>& frames,
                                            const std::vector<Explanation>& explanations,
                                            const Reference& reference, const Hypothesis& own);

}  // namespace edgeprobe::diagnose
