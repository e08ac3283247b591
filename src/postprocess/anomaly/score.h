// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/tensor.h"
#include "postprocess/anomaly/recipe.h"
#include "trace/answer.h"

namespace edgeprobe::postprocess::anomaly {

/// What is measured of each window. Windows are the entries of the output's first axis where it has
/// two or more, else there is one. kUsage when a tensor is not there or sizes do not fit.
Result<std::vector<double>> window_scores(const Recipe& recipe, std::span<const TensorView> inputs,
                                          std::span<const TensorView> outputs);

/// One score of them, of which there is at least one. Median of an even number: the mean of the
/// middle two.
double score_of(Windows windows, std::vector<double> scores);

/// Whether the recipe, which has a threshold, gives an alarm; never for NaN.
bool is_alarm(const Recipe& recipe, double score);

/// The answer to one frame: score, and alarm where the recipe has a threshold.
Result<trace::Answer> run(const Recipe& recipe, std::span<const TensorView> inputs,
                          std::span<const TensorView> outputs);

}  // namespace edgeprobe::postprocess::anomaly
