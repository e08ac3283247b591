// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "diagnose/case/case.h"

namespace edgeprobe::check {

/// How a verdict is reached.
struct Judgement {
  diagnose::Gate gate = diagnose::Gate::kOutputs;  ///< What makes "differs".
  /// Frames that counterfactual replays use, evenly spread; at least 1.
  std::size_t max_replay = 500;
  std::optional<double> first_above;               ///< As Case::first_above.
  task::Terms terms;                               ///< As Case::terms.
  std::vector<compare::MappedNames> mapping = {};  ///< As Case::mapping.
};

}  // namespace edgeprobe::check
