// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/litert/api.h"

namespace edgeprobe::engine::litert {

/// Reads which operators of the main graph still run as nodes of their own once XNNPACK has chosen.
/// LiteRT tells nobody, so an accelerator of ours is registered behind its own: its delegate looks
/// at the execution plan and takes nothing. While an object lives, models compiled by this thread
/// are read.
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
  /// Operators below `op_count` that are not in the plan any more.
  std::vector<int> taken(int op_count) const;
  /// Nodes that stand for several operators each.
  int pieces(int op_count) const;

  // For the callbacks.
  void see(const int* nodes, int count);
  const Api& api() const { return api_; }

 private:
  const Api& api_;
  bool seen_ = false;
  std::vector<int> plan_;
};

}  // namespace edgeprobe::engine::litert
