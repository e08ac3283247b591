// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "family/network.h"
#include "family/weights.h"
#include "model/graph.h"
#include "stretch/plan.h"

namespace edgeprobe::family {

/// The network as an .onnx file of operator set 17, for one picture at a time: input "input"
/// [1, 3, size, size], output "scores" [1, classes]. Tensors have the names of their layers.
Bytes to_onnx(const Network& network, const Weights& weights);

/// The plan of an .onnx file of to_onnx(): each branch on its processor. `processors`: where the
/// network's processors run on this machine, in their order; equal ones are one processor.
/// kUsage for a graph that is not of this network.
Result<stretch::Plan> plan_of(const Network& network, const model::Graph& graph,
                              const std::vector<stretch::Processor>& processors);

}  // namespace edgeprobe::family
