// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "model/graph.h"

namespace edgeprobe::bench {

/// One kernel over all runs.
struct KernelTime {
  std::string name;  ///< The engine's own name; "" when it gives none.
  /// The model's word where its layers are known ("CONV_2D", "Conv+Relu" when fused), else the
  /// engine's.
  std::string type;
  std::string engine_type;  ///< The engine's word.
  std::string precision;
  std::vector<int> layers;
  bool inner = false;
  std::vector<double> seconds;  ///< One a run in which it ran, in order.
  double mean = 0, median = 0;  ///< Seconds.
  /// Of the time of all kernels; an inner one's is part of its delegate's.
  double share = 0;
};

/// All kernels of one type. The rows' shares add up to 1.
struct TypeTime {
  std::string type;
  std::size_t count = 0;  ///< Kernels.
  double total = 0;       ///< Mean seconds of all of them together in one run.
  double mean = 0;        ///< total / count.
  double share = 0;
};

struct LayerTimes {
  std::size_t runs = 0;
  std::vector<KernelTime> kernels;  ///< In the order in which they run; the inner ones behind.
  std::vector<TypeTime> types;      ///< The most expensive first.
  double total = 0;                 ///< Mean seconds of all kernels that are not inner, in one run.
  std::size_t layers_known = 0;     ///< Layers of the model that some kernel is known to compute.
  std::size_t layers_all = 0;       ///< 0: no graph.
};

/// Sums up the kernels' times of many inferences of one session. Without a graph, `type` is the
/// engine's word. Where a delegate reports the operators inside, they take its place in `types`,
/// and what its time holds beside them is the type
/// "(inside the delegate, not told)".
LayerTimes layer_times(const std::vector<std::vector<engine::OpTime>>& runs,
                       const model::Graph* graph);

}  // namespace edgeprobe::bench
