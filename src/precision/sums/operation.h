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

/// One operator that adds up products or values, as sum() computes it: CONV_2D,
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

}  // namespace edgeprobe::precision
