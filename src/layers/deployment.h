// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compare/align/by_graph.h"
#include "engine/engine.h"
#include "pipeline/spec.h"
#include "trace/read/reader.h"

namespace edgeprobe::layers {

/// The two sides. The target's pre-processing is not part of it: the reference's model runs on the
/// inputs that the target recorded.
struct Deployment {
  /// Must contain layers if layer faults are to be found.
  const trace::Reader* target = nullptr;
  pipeline::Pipeline* reference = nullptr;  ///< Null: only kernels are checked.
  /// The target's file and graph; null: no kernel checks, no local errors.
  const pipeline::Pipeline* target_model = nullptr;
  /// Runs single layers of the target with built-in kernels. Preferably another engine than the
  /// target's, because that one may be faulty.
  engine::Engine* host = nullptr;
  engine::Engine* reference_host = nullptr;  ///< The same for the reference; null: `host`.
  /// The outputs differ: also replay the reference's layers before blaming rounding.
  bool outputs_off = false;
  /// `target_model` recorded the target's trace on this machine. If the reference is the same
  /// computation, its layers on the recorded inputs are then the recorded ones, which is tried on
  /// some frames.
  bool target_ran_here = false;
  std::size_t most_frames = 16;
  compare::Mapping mapping = {};  ///< Tensors paired by the caller.
  /// Limit for reference tensors in memory, in bytes; fewer frames are used if they do not fit.
  std::size_t budget = std::size_t{512} << 20;
};

}  // namespace edgeprobe::layers
