// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"
#include "engine/engine.h"
#include "pipeline/spec.h"

namespace edgeprobe::pipeline {

/// The states of a model on their way from frame to frame.
class Carry {
 public:
  /// The pipeline must outlive this object.
  explicit Carry(const Pipeline& pipeline) : pipeline_(pipeline) {}

  /// Puts the states of the frame before into these inputs. At the beginning of a sequence they
  /// stay as they were prepared: given, or zero.
  void put(std::vector<Tensor>& inputs, bool begins_sequence);
  /// Keeps the states among these outputs. kUnsupported for one that changed its shape.
  Status keep(const std::vector<Tensor>& outputs);

 private:
  const Pipeline& pipeline_;
  std::vector<Bytes> kept_;
};

/// For Session::infer(). Borrows from `tensors`.
std::vector<TensorView> views_of(const std::vector<Tensor>& tensors);

/// Whether the model keeps a state of its own inside the engine's session (variable tensors,
/// resource variables).
bool keeps_state(const Pipeline& pipeline);

/// A session whose state is at its beginning, in place of the pipeline's, when it keeps one.
Status restart(Pipeline& pipeline);

}  // namespace edgeprobe::pipeline
