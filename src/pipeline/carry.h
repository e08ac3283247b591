// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"
#include "engine/engine.h"
#include "pipeline/spec.h"

namespace edgeprobe::pipeline {

/// Carries a model's states from frame to frame.
class Carry {
 public:
  /// The pipeline must outlive this object.
  explicit Carry(const Pipeline& pipeline) : pipeline_(pipeline) {}

  /// Puts the previous frame's states into these inputs. At the beginning of a sequence they stay
  /// as prepared: given, or zero.
  void put(std::vector<Tensor>& inputs, bool begins_sequence);
  /// Keeps the states among these outputs. kUnsupported if a state changed its shape.
  Status keep(const std::vector<Tensor>& outputs);

 private:
  const Pipeline& pipeline_;
  std::vector<Bytes> kept_;
};

/// Views for Session::infer(). They borrow from `tensors`.
std::vector<TensorView> views_of(const std::vector<Tensor>& tensors);

/// True if the model keeps state inside the engine's session (variable tensors, resource
/// variables).
bool keeps_state(const Pipeline& pipeline);
/// The same, or its plug-in does not say.
bool may_keep_state(const Pipeline& pipeline);

/// If the model keeps state in its session, replaces the pipeline's session with a fresh one in the
/// initial state.
Status restart(Pipeline& pipeline);

}  // namespace edgeprobe::pipeline
