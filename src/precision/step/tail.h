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

/// What stands behind the operator at the head of a step, as engines put it into that operator.
struct Tail {
  /// Of a batch norm, by channel: output = gain * sum + offset. Empty without one.
  std::vector<float> gain, offset;
  float slope = 1;  ///< Of negative values; not 1 in a LeakyRelu.
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();

  float activated(float value) const;
};

/// The tail of `layers`, of which the first is the head. kUnsupported, with the reason, for one
/// whose constants are not in the file, or whose batch norm stands behind something else than a
/// Conv.
Result<Tail> tail_of(const model::Graph& graph, ByteView file,
                     const std::vector<model::Attributes>& attributes,
                     const std::vector<int>& layers);

/// Weights and bias of a Conv with the batch norm of `tail` in them: [out][...] and [out].
void fold(const Tail& tail, Array& weights, Array& bias);

}  // namespace edgeprobe::precision
