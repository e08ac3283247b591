// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "edgeprobe_plugin.h"

#include <string>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"
#include "engine/engine.h"

/// The answers of load().
namespace edgeprobe::engine::native {

/// Of a tensor.
inline constexpr std::size_t kMostDimensions = 32;

/// A tensor as load() described it.
struct Announced {
  TensorSpec spec;
  bool any_rank = false;  ///< Each run decides even the number of dimensions.

  /// Each run decides the shape.
  bool is_open() const;
  std::string shape_text() const;
};

/// The descriptions of all tensors of a role: "input", "output", "layer" or, of a sample, "array".
/// Those of outputs need no unique names. kTarget for a description that cannot be right.
Result<std::vector<Announced>> all_announced(const edgeprobe_plugin_tensor* tensors,
                                             std::size_t count, const std::string& role);

/// The kernels, without times. kTarget as above.
Result<std::vector<OpTime>> kernels_of(const edgeprobe_plugin_model& model);

}  // namespace edgeprobe::engine::native
