// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "layers/replay/kernel_error.h"

namespace edgeprobe::layers {

/// An operator type whose layers compute something else than the host's kernels do on the same
/// inputs.
struct KernelFault {
  std::string type;
  /// At least 80 % of the layers of the type that could be judged, and at least two.
  bool whole_type = false;
  std::vector<int> layers;  ///< Of the target's graph, ascending.
  std::size_t checked = 0;  ///< Layers of the type that were replayed.
};

/// Faulty layers by operator type, in the order of their first layer. A layer that uses fewer than
/// 8 steps of its range may hide a fault within one step and does not speak for a kernel's health.
std::vector<KernelFault> kernel_faults(const model::Graph& target,
                                       const std::vector<KernelError>& kernel_errors);

}  // namespace edgeprobe::layers
