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

/// One operator that sums products or values, as computed by sum(): CONV_2D, DEPTHWISE_CONV_2D,
/// FULLY_CONNECTED, BATCH_MATMUL, SUM, MEAN; Conv, Gemm, MatMul, ReduceSum, ReduceMean,
/// GlobalAveragePool.
struct Sum {
  const model::Layer* layer = nullptr;
  const model::Attributes* attributes = nullptr;
  /// In the order of Layer::inputs; empty for an absent one.
  std::vector<std::optional<Array>> inputs;
  Shape output;  ///< From the engine.
};

enum class Accumulator {
  kFloat32,
  kFloat16,
  kFloat16Blocks,  ///< Sums kBlock terms from zero, then adds the result to the sum of the earlier
                   ///< blocks.
};

/// The result, and the largest partial sum on the way.
struct Summed {
  std::vector<float> values;
  double largest_partial = 0;  ///< Infinite if one exceeded the accumulator's range.
};

}  // namespace edgeprobe::precision
