// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "model/graph.h"

namespace edgeprobe::bench {

/// One kernel across all runs.
struct KernelTime {
  std::string name;  ///< The engine's name; "" if it has none.
  /// The model's type if its layers are known ("CONV_2D", "Conv+Relu" when fused), or else the
  /// engine's.
  std::string type;
  std::string engine_type;  ///< The engine's type.
  std::string precision;
  std::vector<int> layers;
  bool inner = false;
  std::vector<double> seconds;  ///< One value for each run that included it, in order.
  double mean = 0, median = 0;  ///< Seconds.
  /// Share of the time of all kernels; an inner kernel's is part of its delegate's.
  double share = 0;
};

/// All kernels of one type. The rows' shares add up to 1.
struct TypeTime {
  std::string type;
  std::size_t count = 0;  ///< Number of kernels.
  double total = 0;       ///< Mean seconds in one run, summed over these kernels.
  double mean = 0;        ///< total / count.
  double share = 0;
};

struct LayerTimes {
  std::size_t runs = 0;
  std::vector<KernelTime> kernels;  ///< In execution order; the inner ones at the end.
  std::vector<TypeTime> types;      ///< The most expensive first.
  double total = 0;                 ///< Mean seconds of all non-inner kernels in one run.
  std::size_t layers_known = 0;     ///< Layers of the model with a known kernel.
  std::size_t layers_all = 0;       ///< 0: no graph.
};

/// Summarises the kernel times of many inferences of one session. Without a graph, `type` is the
/// engine's. If a delegate reports its inner operators, they replace it in `types`; its remaining
/// time has the type "(inside the delegate, not reported)".
LayerTimes layer_times(const std::vector<std::vector<engine::OpTime>>& runs,
                       const model::Graph* graph);

}  // namespace edgeprobe::bench
