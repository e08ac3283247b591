// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/result.h"
#include "engine/engine.h"

namespace edgeprobe::engine {

/// A session that takes further samples before it has answered: that of an engine on another
/// machine, where the way takes longer than the inference. infer() is for callers that have
/// submitted nothing.
class PipelinedSession : public Session {
 public:
  /// Asks for an inference of these inputs, which are copied. Fails as infer() does where nothing
  /// can be asked; else collect() tells.
  virtual Status submit(const std::vector<TensorView>& inputs) = 0;
  /// The answer to the oldest sample that was submitted and not collected, as infer() gives it.
  virtual Result<Inference> collect() = 0;
  /// Samples that may be submitted before one is collected, at least 1.
  virtual std::size_t most_in_flight() const = 0;
  /// What was submitted and not collected is of no use any more.
  virtual void abandon() = 0;
};

}  // namespace edgeprobe::engine
