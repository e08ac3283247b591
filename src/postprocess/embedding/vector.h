// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/tensor.h"
#include "postprocess/embedding/recipe.h"
#include "trace/answer.h"

namespace edgeprobe::postprocess::embedding {

/// The rows of the output as one: read and pooled, neither cut nor normalised. Rows of an output
/// [a, b, ..., d] are its a x b x ... runs of d numbers. Without a real row all numbers are 0, as
/// sentence-transformers has it. kUsage when an output or a mask is not there, or the mask has
/// another number of values than the output has rows.
Result<std::vector<double>> pooled(const Recipe& recipe, std::span<const TensorView> inputs,
                                   std::span<const TensorView> outputs);

/// Cut, normalised, cut: all that is behind pooling but the rounding to 8 bits. A norm below 1e-12
/// counts as that, as in torch.nn.functional.normalize.
void normalize(const Recipe& recipe, std::vector<double>& vector);

/// Number of a vector in 8 bits; not a number stays what it is.
double rounded(Bits bits, double value);

/// The answer to one frame: its vector.
Result<trace::Answer> run(const Recipe& recipe, std::span<const TensorView> inputs,
                          std::span<const TensorView> outputs);

}  // namespace edgeprobe::postprocess::embedding
