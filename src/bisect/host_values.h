// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "core/control.h"
#include "layers/replay/fragment.h"
#include "model/capture_list.h"

namespace edgeprobe::bisect {

/// For each tensor of the graph, its value in each frame.
using Frames = std::map<int, std::vector<Tensor>>;

struct HostValues {
  Frames frames;
  std::vector<model::NotCaptured> missing;  ///< Tensors that the host does not expose.
};

/// Runs the model on the host and keeps `tensors` (capturable ones and graph inputs) and the
/// graph's outputs. `inputs` holds the input tensors of each frame, in the graph's order. Fails if
/// the unchanged model, without further outputs, does not run.
Result<HostValues> host_values(const layers::Host& host, const layers::ModelFile& model,
                               const std::vector<std::vector<Tensor>>& inputs,
                               const std::vector<int>& tensors, const Control& control);

/// The values of these tensors in one frame; kNotFound when one is missing.
Result<std::vector<TensorView>> values_of(const Frames& frames, const std::vector<int>& tensors,
                                          std::size_t frame);

/// Distance of the outputs over all frames: the largest RMS difference of an output, relative to
/// the standard deviation of the host's. 10^6 if numbers are finite on only one side, or the host's
/// are constant and the other's differ.
double gap_between(const Frames& host, const Frames& other, const std::vector<int>& outputs);

}  // namespace edgeprobe::bisect
