// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "diagnose/case/case.h"

namespace edgeprobe::check {

/// Options for the verdict.
struct Judgement {
  diagnose::Gate gate = diagnose::Gate::kOutputs;  ///< Rule for "differs".
  /// Number of frames for counterfactual replays, evenly spread; at least 1.
  std::size_t max_replay = 500;
  std::optional<double> first_above;               ///< See Case::first_above.
  task::Terms terms;                               ///< See Case::terms.
  std::vector<compare::MappedNames> mapping = {};  ///< See Case::mapping.
  std::shared_ptr<task::UserMetric> metric = {};   ///< See Case::metric.
};

}  // namespace edgeprobe::check
