// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/postprocessing/predictions.h"

namespace edgeprobe::diagnose::postprocessing {

/// Possible changes to a hypothesis: the catalogue, and those that the recorded answers suggest by
/// closed forms under it (threshold, number of answers, lines of the label file).
std::vector<Change> changes_of(Predictions& predictions, const Hypothesis& hypothesis);

/// The number with the fewest digits in (low, high].
double shortest_number(double low, double high);

}  // namespace edgeprobe::diagnose::postprocessing
