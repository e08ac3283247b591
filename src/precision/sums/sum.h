// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"
#include "model/attributes.h"
#include "model/graph.h"

namespace edgeprobe::precision {

/// Real numbers with their shape, row-major.
struct Array {
  Shape shape;
  std::vector<float> values;
};

/// One operator that adds up products or values, as this file computes it: CONV_2D,
/// DEPTHWISE_CONV_2D, FULLY_CONNECTED, BATCH_MATMUL, SUM, MEAN; Conv, Gemm,
/// MatMul, ReduceSum, ReduceMean, GlobalAveragePool.
struct Sum {
  const model::Layer* layer = nullptr;
  const model::Attributes* attributes = nullptr;
  /// In the order of Layer::inputs; nothing for an absent one.
  std::vector<std::optional<Array>> inputs;
  Shape output;  ///< As the engine gives it.
};

enum class Accumulator {
  kFloat32,
  kFloat16,
  kFloat16Blocks,  ///< kBlock terms from zero, then that sum on top of those before.
};

/// What came out, and the largest partial sum on the way.
struct Summed {
  std::vector<float> values;
  double largest_partial = 0;  ///< Infinite when one passed the accumulator's range.
};

/// Whether sum() knows operators of this type.
bool is_sum(const model::Layer& layer);

/// The operator with every term added to an accumulator of that precision, in the order of the
/// terms in memory (window, then channel), the bias last. A fused RELU, RELU6 or RELU_N1_TO_1 is
/// applied. kUnsupported for operators, shapes and options that are not known here.
Result<Summed> sum(const Sum& work, Accumulator accumulator);

}  // namespace edgeprobe::precision
