// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "precision/sums/operation.h"

namespace edgeprobe::precision {

/// Whether sum() knows operators of this type.
bool is_sum(const model::Layer& layer);

/// The operator with every term added to an accumulator of that precision, in the order of the
/// terms in memory (window, then channel), the bias last. A fused RELU, RELU6 or RELU_N1_TO_1 is
/// applied. kUnsupported for operators, shapes and options that are not known here.
Result<Summed> sum(const Sum& work, Accumulator accumulator);

}  // namespace edgeprobe::precision
