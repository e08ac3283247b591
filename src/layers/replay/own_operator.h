// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "layers/replay/local_error.h"

namespace edgeprobe::layers {

/// How a quantised tensor is stored.
struct Affine {
  float scale = 0;
  std::int64_t zero_point = 0;
};

/// Must an operator's output share its input's scale, or have a fixed one? Then no other scale can
/// be given to it: only real numbers show what it computes.
bool keeps_scale(const std::string& type);

/// One layer of the target with its own operator, options and weights. With `stored`, its output is
/// stored so; a layer that keeps_scale() takes and gives real numbers then. `output` is one of the
/// tensors that the layer makes.
Result<Fragment> own_layer(const Host& host, const ModelFile& target, int layer, int output,
                           const std::optional<Affine>& stored, const std::vector<Shape>& shapes);

/// What the target's own operator makes of the reference's inputs when nothing but its output's
/// scale is repaired.
struct OwnOperator {
  double error = 0;  ///< RMS distance from the reference's output, over its standard deviation.
  /// The same from the reference's operator with the target's weights, on the same inputs: what is
  /// computed otherwise.
  double otherwise = 0;
};
/// `stored` as fits the reference's values; nothing for a layer that computes real numbers.
Result<OwnOperator> own_operator(const Workspace& workspace, const OpPair& pair,
                                 const Values& reference, const std::optional<Affine>& stored);

}  // namespace edgeprobe::layers
