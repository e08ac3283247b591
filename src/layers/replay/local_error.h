// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "layers/capture/capture.h"
#include "layers/pairing/pairing.h"
#include "layers/pairing/values.h"
#include "layers/replay/fragment.h"
#include "model/dynamic_quantization.h"

namespace edgeprobe::layers {

/// Error of one target layer that runs on the reference's inputs, so it is independent of earlier
/// layers.
struct Local {
  double error = 0;     ///< RMS distance from the reference's output.
  double relative = 0;  ///< `error`, divided by the standard deviation of the reference's output.
  /// Unavoidable error of a well quantised layer: rounding of output, inputs and weights; 0 for
  /// float targets.
  double floor = 0;
  double score = 0;  ///< error / floor; 0 without a floor.
  /// The target's step divided by the one that the reference's range needs; 0 for float targets.
  double scale_ratio = 0;
  double clip = 0;  ///< RMS clipped by the target's range, divided by the standard deviation.
  /// Outputs of the target's layer on the reference's inputs, by frame.
  std::vector<std::vector<float>> outputs;
};

/// Both models' files, their pairing, and where parts of them run.
struct Workspace {
  Host host;                    ///< Where parts of the target run.
  Host reference_host;          ///< Where parts of the reference run; another format may need
                                ///< another engine.
  ModelFile reference, target;  ///< The reference has no graph if it is not available.
  Pairing pairing;
  std::map<int, int> reference_of;  ///< The reference's tensor by the target's.
  std::vector<int> origins;         ///< origins() of the target's tensors.
  /// Recorded shapes of the target's tensors: the file's own may be outdated.
  std::map<int, Shape> shapes;
  /// The target's dynamically quantised operators, by their last layer.
  std::map<int, model::DynamicOperator> dynamic;
};
/// A workspace with one host for both models. `target` has no graph if its file is not available.
/// `recorded`: values of the target; null if its shapes are unknown.
Workspace workspace_of(Host host, ModelFile reference, ModelFile target, Pairing pairing,
                       const Values* recorded);

/// The target's shape for values that have this shape in the reference.
Shape shape_of_target(const Workspace& workspace, int target, const Shape& reference);

/// The part of the reference between paired tensors that computes the pair's output: the operator,
/// and preceding ones that the target has merged into it, such as a batch norm.
model::Part reference_part(const Workspace& workspace, const OpPair& pair);

/// The layer of the target; between two formats, together with preceding layers whose tensors have
/// no partner, such as the convolution before an activation.
model::Part target_part(const Workspace& workspace, const OpPair& pair);

/// The target's layers between paired tensors that lead to the pair's output.
model::Part target_region(const Workspace& workspace, const OpPair& pair);

/// The error explains why a layer has no figures; kInterrupted is not such a reason.
Result<Local> local_error(const Workspace& workspace, const OpPair& pair, const Values& reference);

}  // namespace edgeprobe::layers
