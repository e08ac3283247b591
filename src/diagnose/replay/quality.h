// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "diagnose/case/counterfactual.h"
#include "diagnose/case/study.h"

namespace edgeprobe::diagnose {

/// How good the answers to some frames are; empty if nothing scores them.
struct Quality {
  std::optional<double> value;
  std::optional<stats::Interval> ci95;
  bool lower_is_better = false;

  bool is_better_than(const Quality& other) const;
};

/// By the user's metric if the case has one, else by the task's mean score. After an error of the
/// metric (UserMetric::failure()), empty.
Quality quality_of(const Study& study, const Answers& answers);

}  // namespace edgeprobe::diagnose
