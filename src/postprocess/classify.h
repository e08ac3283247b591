// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/tensor.h"
#include "postprocess/recipe.h"
#include "trace/answer.h"

namespace edgeprobe::postprocess {

/// Scores of one output, read and activated, without the classes that are skipped. NaN stays NaN.
Result<std::vector<double>> scores_of(const Classification& recipe, const TensorView& output);

/// The two halves of that.
Result<std::vector<double>> read_values(Reading reading, const TensorView& output);
void activate(Activation activation, std::vector<double>& values);

/// Index of the output that the recipe reads; kUsage when there is none such.
Result<std::size_t> output_of(const Classification& recipe, const std::vector<TensorSpec>& outputs);

/// Places of the scores in that order: equal ones by place, NaN last.
std::vector<std::size_t> ranking(const std::vector<double>& scores, Order order);

/// The answer to one frame: labels where the recipe has them, class numbers, scores. kUsage for an
/// output that holds no list of classes, and for a class without a line in the label file.
Result<trace::Answer> run(const Classification& recipe, std::span<const TensorView> outputs);

}  // namespace edgeprobe::postprocess
