// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "core/control.h"
#include "layers/replay/fragment.h"
#include "model/capture_list.h"

namespace edgeprobe::bisect {

/// By tensor of the graph: its value in each frame.
using Frames = std::map<int, std::vector<Tensor>>;

struct HostValues {
  Frames frames;
  std::vector<model::NotCaptured> missing;  ///< Tensors that the host does not show.
};

/// Runs the model on the host and keeps `tensors` (capturable ones and graph inputs) and the
/// graph's outputs. `inputs` has a list of input tensors for each frame, in the graph's order.
/// Fails when the model does not run as it is, without further outputs.
Result<HostValues> host_values(const layers::Host& host, const layers::ModelFile& model,
                               const std::vector<std::vector<Tensor>>& inputs,
                               const std::vector<int>& tensors, const Control& control);

/// The values of these tensors in one frame; kNotFound when one is missing.
Result<std::vector<TensorView>> values_of(const Frames& frames, const std::vector<int>& tensors,
                                          std::size_t frame);

/// How far the outputs lie apart over all frames: the largest of the outputs' RMS differences over
/// the standard deviation of the host's. 10^6 where numbers are finite on one side only, or where
/// the host's do not vary and the other's differ.
double gap_between(const Frames& host, const Frames& other, const std::vector<int>& outputs);

}  // namespace edgeprobe::bisect
