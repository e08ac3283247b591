// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "precision/sums/operation.h"

namespace edgeprobe::precision {

/// True if sum() supports this type of operator.
bool is_sum(const model::Layer& layer);

/// Computes the operator with every term added to an accumulator of that precision, in memory order
/// of the terms (window, then channel), the bias last. Applies a fused RELU, RELU6 or RELU_N1_TO_1.
/// kUnsupported for unknown operators, shapes and options.
Result<Summed> sum(const Sum& work, Accumulator accumulator);

/// CONV_2D and DEPTHWISE_CONV_2D: channels last.
Result<Summed> conv_tflite(const Sum& work, Accumulator accumulator);
/// Conv: channels first, followed by one or two dimensions.
Result<Summed> conv_onnx(const Sum& work, Accumulator accumulator);

/// FULLY_CONNECTED, BATCH_MATMUL, Gemm, MatMul.
Result<Summed> product_of(const Sum& work, Accumulator accumulator);

/// SUM, MEAN, ReduceSum, ReduceMean, GlobalAveragePool.
Result<Summed> reduction(const Sum& work, Accumulator accumulator);

}  // namespace edgeprobe::precision
