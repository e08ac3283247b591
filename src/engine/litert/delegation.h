// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/litert/api.h"

namespace edgeprobe::engine::litert {

/// Reads which operators of the main graph XNNPACK and the GPU have taken. LiteRT does not report
/// them. We therefore register our own accelerator after LiteRT's: its delegate reads the execution
/// plan and takes no operators. While an object exists, it reads the models that this thread
/// compiles.
class PlanWatch {
 public:
  explicit PlanWatch(const Api& api);
  PlanWatch(const PlanWatch&) = delete;
  PlanWatch& operator=(const PlanWatch&) = delete;
  ~PlanWatch();

  /// Call it once per environment and only with a tested library: these functions change between
  /// versions. False if the library does not accept it.
  static bool install(const Api& api, CEnvironment* environment);

  bool seen() const { return seen_; }
  /// The main graph's operators that XNNPACK runs, in ascending order, and the number of nodes that
  /// contain them.
  const std::vector<int>& taken_by_xnnpack() const { return xnnpack_; }
  int xnnpack_pieces() const { return xnnpack_pieces_; }
  /// The other operators below `op_count` that are no longer in the plan: the GPU's.
  std::vector<int> taken_by_others(int op_count) const;

  // Called by the callbacks.
  void see(std::vector<int> nodes, const std::vector<std::vector<int>>& xnnpack);
  const Api& api() const { return api_; }

 private:
  const Api& api_;
  bool seen_ = false;
  std::vector<int> plan_;
  std::vector<int> xnnpack_;
  int xnnpack_pieces_ = 0;
};

}  // namespace edgeprobe::engine::litert
