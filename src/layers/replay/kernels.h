// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "layers/replay/kernel_error.h"

namespace edgeprobe::layers {

/// An operator type whose layers differ from the host's kernels on the same inputs.
struct KernelFault {
  std::string type;
  /// True if at least 80 % of the judged layers of the type are faulty, and at least two.
  bool whole_type = false;
  std::vector<int> layers;  ///< Indices in the target's graph, ascending.
  std::size_t checked = 0;  ///< Replayed layers of the type.
};

/// Faulty layers by operator type, in the order of their first layer. A layer that uses fewer than
/// 8 steps of its range may hide a fault within one step, so it does not prove a healthy
/// kernel.
std::vector<KernelFault> kernel_faults(const model::Graph& target,
                                       const std::vector<KernelError>& kernel_errors);

}  // namespace edgeprobe::layers
