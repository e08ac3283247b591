// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "precision/sums/operation.h"

namespace edgeprobe::precision {

/// SUM, MEAN, ReduceSum, ReduceMean, GlobalAveragePool.
Result<Summed> reduction(const Sum& work, Accumulator accumulator);

}  // namespace edgeprobe::precision
