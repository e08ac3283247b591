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

/// What one layer of the target costs on its own: run on the reference's inputs, so that nothing
/// before it counts.
struct Local {
  double error = 0;     ///< RMS distance from the reference's output.
  double relative = 0;  ///< The same over the standard deviation of the reference's output.
  /// What a well quantised layer has to cost: rounding of output, inputs and weights; 0 for float
  /// targets.
  double floor = 0;
  double score = 0;  ///< error / floor; 0 without a floor.
  /// The target's step over the one that the reference's range needs; 0 for float targets.
  double scale_ratio = 0;
  double clip = 0;  ///< RMS that the target's range cuts off, over the standard deviation.
  /// Of the target's layer on the reference's inputs, frame by frame.
  std::vector<std::vector<float>> outputs;
};

/// Both models' files, who belongs to whom, and where parts of them run.
struct Workspace {
  Host host;                    ///< Of parts of the target,
  Host reference_host;          ///< and of the reference: one format may need another engine.
  ModelFile reference, target;  ///< No graph of a reference that is not at hand.
  Pairing pairing;
  std::map<int, int> reference_of;  ///< The reference's tensor by the target's.
  std::vector<int> origins;         ///< Of the target's tensors.
  /// Of the target's tensors as they were recorded: the file's own may be stale.
  std::map<int, Shape> shapes;
  /// The target's operators that are quantised while they run, by the layer that ends them.
  std::map<int, model::DynamicOperator> dynamic;
};
/// One host for both. `target` without a graph: its file is not at hand. `recorded` of the target;
/// null when nothing is known of its shapes.
Workspace workspace_of(Host host, ModelFile reference, ModelFile target, Pairing pairing,
                       const Values* recorded);

/// The shape in which the target holds values that the reference has in this one.
Shape shape_of_target(const Workspace& workspace, int target, const Shape& reference);

/// What the reference computes between tensors that have a partner, to make the pair's output: the
/// operator, and those in front of it that the target has put into one, such as a batch norm.
model::Part reference_part(const Workspace& workspace, const OpPair& pair);

/// The layer of the target; between two formats, along with those in front of it whose tensors have
/// no partner, such as the convolution in front of an activation.
model::Part target_part(const Workspace& workspace, const OpPair& pair);

/// The target's layers between tensors that have a partner, up to the pair's output.
model::Part target_region(const Workspace& workspace, const OpPair& pair);

/// Why a layer has no figures is the error; kInterrupted is never one of them.
Result<Local> local_error(const Workspace& workspace, const OpPair& pair, const Values& reference);

}  // namespace edgeprobe::layers
