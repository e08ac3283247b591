// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "core/result.h"
#include "model/attributes.h"
#include "model/graph.h"
#include "precision/sums/operation.h"

namespace edgeprobe::precision {

/// The operators after the head of a step that engines fuse into it.
struct Tail {
  /// For a batch norm, by channel: output = gain * sum + offset. Empty without one.
  std::vector<float> gain, offset;
  float slope = 1;  ///< Slope for negative values; not 1 in a LeakyRelu.
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();

  float activated(float value) const;
};

/// The tail of `layers`, whose first one is the head. kUnsupported, with the reason, if its
/// constants are not in the file, or if its batch norm follows an operator other than Conv.
Result<Tail> tail_of(const model::Graph& graph, ByteView file,
                     const std::vector<model::Attributes>& attributes,
                     const std::vector<int>& layers);

/// Folds the batch norm of `tail` into the weights and bias of a Conv: [out][...] and [out].
void fold(const Tail& tail, Array& weights, Array& bias);

}  // namespace edgeprobe::precision
