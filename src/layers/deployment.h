// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compare/align/by_graph.h"
#include "engine/engine.h"
#include "pipeline/spec.h"
#include "trace/read/reader.h"

namespace edgeprobe::layers {

/// What is known of the two sides. The target's pre-processing is no part of it: the reference's
/// model is run on the inputs that the target recorded.
struct Deployment {
  /// With layers, when there are any layer faults to be found.
  const trace::Reader* target = nullptr;
  pipeline::Pipeline* reference = nullptr;  ///< Null: kernels alone are checked.
  /// The target's file and graph; null: no kernels, no local errors.
  const pipeline::Pipeline* target_model = nullptr;
  /// Runs single layers of the target with built-in kernels: best not the target's own engine,
  /// which may be the faulty one.
  engine::Engine* host = nullptr;
  engine::Engine* reference_host = nullptr;  ///< The same for the reference's; null: `host`.
  /// The outputs are off: the reference's layers are replayed as well before rounding is blamed.
  bool outputs_off = false;
  std::size_t most_frames = 16;
  compare::Mapping mapping = {};  ///< Tensors that belong together, as the caller says.
  /// Bytes of reference tensors held in memory; fewer frames when they do not fit.
  std::size_t budget = std::size_t{512} << 20;
};

}  // namespace edgeprobe::layers
