// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/tensor.h"
#include "postprocess/embedding/recipe.h"
#include "trace/answer.h"

namespace edgeprobe::postprocess::embedding {

/// The rows of the output combined into one: read and pooled, but neither cut nor normalised. Rows
/// of an output [a, b, ..., d] are its a x b x ... runs of d numbers. Without a real row all
/// numbers are 0, as in sentence-transformers. kUsage if an output or a mask is missing, or if the
/// mask has another number of values than the output has rows.
Result<std::vector<double>> pooled(const Recipe& recipe, std::span<const TensorView> inputs,
                                   std::span<const TensorView> outputs);

/// Cuts and normalises: everything after pooling except the rounding to 8 bits. A norm below 1e-12
/// is raised to it, as in torch.nn.functional.normalize.
void normalize(const Recipe& recipe, std::vector<double>& vector);

/// Rounds a number to 8 bits; NaN is unchanged.
double rounded(Bits bits, double value);

/// The answer to one frame: its vector.
Result<trace::Answer> run(const Recipe& recipe, std::span<const TensorView> inputs,
                          std::span<const TensorView> outputs);

}  // namespace edgeprobe::postprocess::embedding
