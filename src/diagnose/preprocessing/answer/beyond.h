// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "diagnose/preprocessing/search/consensus.h"

namespace edgeprobe::diagnose {

/// A fault that no recipe can express, exact on all searched frames.
struct Beyond {
  InputFault fault;                 ///< InputFault::without_it is empty.
  double residual = 0;              ///< Remaining distance in gray steps.
  std::vector<InputFault> besides;  ///< Recipe differences that occur with it.
  /// Remaining distance of another frame; nothing if it was not examined. Owns its data.
  std::function<std::optional<double>(Frame&)> left;
  std::vector<Evidence> evidence;
};

/// Tries further explanations if no recipe reproduces the recorded inputs.
std::optional<Beyond> beyond_recipes(std::vector<Frame>& frames,
                                     const std::vector<Explanation>& explanations,
                                     const Consensus& nearest, const Reference& reference,
                                     const Hypothesis& own);

/// "Each frame has its own gain": every frame is exact by itself, and only their lines differ.
/// Needs at least two frames.
std::optional<Beyond> explain_by_own_ranges(std::vector<Frame>& frames,
                                            const std::vector<Explanation>& explanations,
                                            const Reference& reference, const Hypothesis& own);

}  // namespace edgeprobe::diagnose
