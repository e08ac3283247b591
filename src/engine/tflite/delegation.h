// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/tflite/api.h"

namespace edgeprobe::engine::tflite {

/// Reads which operators still run in the main graph, by adding a delegate of our own that reads
/// the execution plan and takes nothing. A comparison of the plan before and after another delegate
/// shows which operators that delegate took. The object must outlive the interpreter, which keeps
/// its address.
class PlanReader {
 public:
  /// The library must tell_delegation().
  explicit PlanReader(const Api& api);
  PlanReader(const PlanReader&) = delete;
  PlanReader& operator=(const PlanReader&) = delete;
  ~PlanReader();

  /// Node numbers of the main graph in execution order; nothing if the runtime does not allow
  /// reading them.
  std::optional<std::vector<int>> read(CInterpreter* interpreter);

 private:
  static int look(CContext* context, CDelegate* delegate, void* data);
  const Api& api_;
  DelegateBuilder builder_{};
  std::vector<CDelegate*> delegates_;
  std::optional<std::vector<int>> plan_;
  bool reading_ = false;
};

}  // namespace edgeprobe::engine::tflite
