// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <vector>

#include "core/tensor.h"
#include "model/cut.h"
#include "model/graph.h"

namespace edgeprobe::precision {

/// Values of one frame by tensor.
using Values = std::map<int, Tensor>;

/// The computation between two tensors that a device stores: a layer, with a following batch norm
/// and activation that engines fuse into it.
struct Step {
  std::vector<int> layers;   ///< Ascending; the first one names the step.
  std::vector<int> outputs;  ///< Stored tensors.
  model::Part part;
};

/// The steps of a graph in execution order. `apart`: tensors that the device is known to compute
/// separately; no step hides them.
std::vector<Step> steps_of(const model::Graph& graph, const std::set<int>& apart = {});

/// The step that reads each tensor last; the position after the last step for `wanted` tensors.
std::map<int, std::size_t> last_readers(const std::vector<Step>& steps,
                                        const std::vector<int>& wanted);

}  // namespace edgeprobe::precision
