// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "layers/replay/local_error.h"

namespace edgeprobe::layers {

/// Quantisation of a tensor.
struct Affine {
  float scale = 0;
  std::int64_t zero_point = 0;
};

/// True if an operator's output must share its input's scale, or has a fixed one. No other scale is
/// possible then: its result can be determined only with real numbers.
bool keeps_scale(const std::string& type);

/// One layer of the target with its own operator, options and weights. With `stored`, its output
/// has that quantisation; a layer that keeps_scale() then takes and returns real numbers. `output`
/// is one of the layer's output tensors.
Result<Fragment> own_layer(const Host& host, const ModelFile& target, int layer, int output,
                           const std::optional<Affine>& stored, const std::vector<Shape>& shapes);

/// Result of the target's own operator on the reference's inputs if only its output's scale is
/// repaired.
struct OwnOperator {
  /// RMS distance from the reference's output, divided by its standard deviation.
  double error = 0;
  /// The same distance from the reference's operator with the target's weights, on the same inputs:
  /// the part due to a different operator.
  double otherwise = 0;
};
/// `stored` suits the reference's values; unset for a layer that computes real numbers.
Result<OwnOperator> own_operator(const Workspace& workspace, const OpPair& pair,
                                 const Values& reference, const std::optional<Affine>& stored);

}  // namespace edgeprobe::layers
