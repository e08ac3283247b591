// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/tensor.h"
#include "postprocess/recipe.h"
#include "trace/answer.h"

namespace edgeprobe::postprocess {

/// Scores of one output, read and activated, without the skipped classes. NaN stays NaN.
Result<std::vector<double>> scores_of(const Classification& recipe, const TensorView& output);

/// The two halves of scores_of().
Result<std::vector<double>> read_values(Reading reading, const TensorView& output);
void activate(Activation activation, std::vector<double>& values);

/// Index of the output that the recipe reads; kUsage if it does not exist.
Result<std::size_t> output_of(const Classification& recipe, const std::vector<TensorSpec>& outputs);

/// Indices of the scores in that order: equal scores by index, NaN last.
std::vector<std::size_t> ranking(const std::vector<double>& scores, Order order);

/// The answer to one frame: labels if the recipe has them, class numbers, scores. kUsage for an
/// output that is not a list of classes, and for a class without a line in the label file.
Result<trace::Answer> run(const Classification& recipe, std::span<const TensorView> outputs);

}  // namespace edgeprobe::postprocess
