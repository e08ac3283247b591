// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/tensor.h"
#include "postprocess/anomaly/recipe.h"
#include "trace/answer.h"

namespace edgeprobe::postprocess::anomaly {

/// The measure of each window. Windows are the entries of the output's first axis if it has two or
/// more; if not, there is one. kUsage if a tensor is missing or sizes do not match.
Result<std::vector<double>> window_scores(const Recipe& recipe, std::span<const TensorView> inputs,
                                          std::span<const TensorView> outputs);

/// Combines the scores of at least one window. Median of an even number: the mean of the middle
/// two.
double score_of(Windows windows, std::vector<double> scores);

/// True if the recipe, which has a threshold, raises an alarm; never for NaN.
bool is_alarm(const Recipe& recipe, double score);

/// The answer to one frame: the score, and the alarm if the recipe has a threshold.
Result<trace::Answer> run(const Recipe& recipe, std::span<const TensorView> inputs,
                          std::span<const TensorView> outputs);

}  // namespace edgeprobe::postprocess::anomaly
