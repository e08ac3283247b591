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

/// CONV_2D and DEPTHWISE_CONV_2D: channels last.
Result<Summed> conv_tflite(const Sum& work, Accumulator accumulator);
/// Conv: channels in front, one or two dimensions behind them.
Result<Summed> conv_onnx(const Sum& work, Accumulator accumulator);

/// FULLY_CONNECTED, BATCH_MATMUL, Gemm, MatMul.
Result<Summed> product_of(const Sum& work, Accumulator accumulator);

/// SUM, MEAN, ReduceSum, ReduceMean, GlobalAveragePool.
Result<Summed> reduction(const Sum& work, Accumulator accumulator);

}  // namespace edgeprobe::precision
