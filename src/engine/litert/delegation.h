// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/litert/api.h"

namespace edgeprobe::engine::litert {

/// Reads which operators of the main graph XNNPACK and the GPU have taken. LiteRT does not report
/// it, so we register an accelerator of our own after its own: its delegate reads the execution
/// plan and takes nothing. While an object exists, models compiled by this thread are read.
class PlanWatch {
 public:
  explicit PlanWatch(const Api& api);
  PlanWatch(const PlanWatch&) = delete;
  PlanWatch& operator=(const PlanWatch&) = delete;
  ~PlanWatch();

  /// Once per environment, only with a tested library: these functions change between versions.
  /// False if the library does not accept it.
  static bool install(const Api& api, CEnvironment* environment);

  bool seen() const { return seen_; }
  /// The main graph's operators that XNNPACK runs, in ascending order, and their number of nodes.
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
