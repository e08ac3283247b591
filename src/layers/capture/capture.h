// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/control.h"
#include "layers/pairing/values.h"
#include "model/capture_list.h"
#include "pipeline/spec.h"

namespace edgeprobe::layers {

/// A recorded model input in the form of the reference's: real values in its dtype and
/// quantisation. kUnsupported when the shapes are not the same but for the order of the channels.
Result<Tensor> as_input(const TensorView& recorded, const TensorSpec& wanted);

struct Captured {
  HeldValues values;
  std::vector<model::NotCaptured> missing;  ///< Tensors that the engine does not show.
};

/// Runs the reference's model on the inputs of each frame, in the order of its own, and keeps
/// `tensors` (capturable ones) and its graph inputs. The engine holds at most `budget` bytes of
/// them at once. A state that the model keeps is at its beginning in each frame. Fails when the
/// model does not run as it is, without further outputs.
Result<Captured> capture(pipeline::Pipeline& reference,
                         const std::vector<std::vector<Tensor>>& inputs,
                         const std::vector<int>& tensors, std::size_t budget,
                         const Control& control);

/// Bytes of these tensors in one frame, open dimensions counted as 1.
std::size_t bytes_of(const model::Graph& graph, const std::vector<int>& tensors);

}  // namespace edgeprobe::layers
