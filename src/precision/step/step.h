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

/// What a device computes between two tensors that it stores: a layer, with a batch norm and an
/// activation behind it that engines put into it.
struct Step {
  std::vector<int> layers;   ///< Ascending; the first gives it its name.
  std::vector<int> outputs;  ///< Tensors that are stored.
  model::Part part;
};

/// The steps of a graph in the order of execution. `apart`: tensors that the device is known to
/// make by themselves, which no step hides.
std::vector<Step> steps_of(const model::Graph& graph, const std::set<int>& apart = {});

/// The step that reads each tensor last; behind the last step for those that are `wanted`.
std::map<int, std::size_t> last_readers(const std::vector<Step>& steps,
                                        const std::vector<int>& wanted);

}  // namespace edgeprobe::precision
