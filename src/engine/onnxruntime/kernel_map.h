// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/onnxruntime/profile.h"
#include "model/graph.h"

namespace edgeprobe::engine::onnxruntime {

/// A node of the optimised graph, with the layers of the original one that it computes: none for
/// nodes that the engine added (a layout change), several for fused ones.
struct Kernel {
  std::string name;         ///< "" if the node has none.
  std::string type;         ///< Without the domain: "Conv", "FusedConv".
  std::vector<int> layers;  ///< In ascending order.
  Shape output;             ///< Shape of its first output; empty if unknown.
};

/// Determines which kernel of `optimized` computes which layers of `original`. A kernel first gets
/// the layers that produce the outputs whose names it kept, or that it is named after; then the
/// layers between those and its inputs. Layers computed beforehand (from constants and shapes)
/// belong to no kernel.
std::vector<Kernel> map_kernels(const model::Graph& original, const model::Graph& optimized);

/// The layers of each node of a profile. Nodes are matched by name; nodes without a name by the
/// number that they kept from the file, else by type and order, as long as the shapes agree.
std::vector<std::vector<int>> layers_of(const std::vector<Kernel>& kernels,
                                        const std::vector<NodeTime>& nodes);

}  // namespace edgeprobe::engine::onnxruntime
