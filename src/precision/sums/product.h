// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "precision/sums/operation.h"

namespace edgeprobe::precision {

/// FULLY_CONNECTED, BATCH_MATMUL, Gemm, MatMul.
Result<Summed> product_of(const Sum& work, Accumulator accumulator);

}  // namespace edgeprobe::precision
