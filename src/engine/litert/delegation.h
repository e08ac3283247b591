// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/litert/api.h"

namespace edgeprobe::engine::litert {

/// Reads which operators of the main graph XNNPACK and the GPU have chosen. LiteRT tells nobody, so
/// an accelerator of ours is registered behind its own: its delegate looks at the execution plan
/// and takes nothing. While an object lives, models compiled by this thread are read.
class PlanWatch {
 public:
  explicit PlanWatch(const Api& api);
  PlanWatch(const PlanWatch&) = delete;
  PlanWatch& operator=(const PlanWatch&) = delete;
  ~PlanWatch();

  /// Once for each environment, only with a library that was tried: these functions change between
  /// versions. False when the library does not take it.
  static bool install(const Api& api, CEnvironment* environment);

  bool seen() const { return seen_; }
  /// The operators of the main graph that XNNPACK runs, in ascending order, and in how many nodes.
  const std::vector<int>& taken_by_xnnpack() const { return xnnpack_; }
  int xnnpack_pieces() const { return xnnpack_pieces_; }
  /// The others below `op_count` that are not in the plan any more: the GPU's.
  std::vector<int> taken_by_others(int op_count) const;

  // For the callbacks.
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
