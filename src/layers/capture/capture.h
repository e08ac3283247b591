// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/control.h"
#include "layers/pairing/values.h"
#include "model/capture_list.h"
#include "pipeline/spec.h"

namespace edgeprobe::layers {

/// A recorded model input in the reference's form: real values in its dtype and quantisation.
/// kUnsupported if the shapes differ by more than the order of the channels.
Result<Tensor> as_input(const TensorView& recorded, const TensorSpec& wanted);

struct Captured {
  HeldValues values;
  std::vector<model::NotCaptured> missing;  ///< Tensors that the engine cannot output.
};

/// Runs the reference's model on each frame's inputs, in its own input order, and keeps `tensors`
/// (capturable ones) and its graph inputs. The engine holds at most `budget` bytes of them at a
/// time. A state of the model is reset in each frame. Fails if the unmodified model, without
/// further outputs, does not run.
Result<Captured> capture(pipeline::Pipeline& reference,
                         const std::vector<std::vector<Tensor>>& inputs,
                         const std::vector<int>& tensors, std::size_t budget,
                         const Control& control);

/// Bytes of these tensors in one frame, with open dimensions counted as 1.
std::size_t bytes_of(const model::Graph& graph, const std::vector<int>& tensors);

}  // namespace edgeprobe::layers
