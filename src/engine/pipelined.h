// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/result.h"
#include "engine/engine.h"

namespace edgeprobe::engine {

/// A session that accepts more samples before it has answered: for an engine on another machine,
/// where the transfer takes longer than the inference. Use infer() only if nothing is submitted.
class PipelinedSession : public Session {
 public:
  /// Starts an inference of these inputs, which are copied. Fails like infer() if the request
  /// cannot be sent; collect() returns later failures.
  virtual Status submit(const std::vector<TensorView>& inputs) = 0;
  /// The answer to the oldest submitted sample not yet collected, as from infer().
  virtual Result<Inference> collect() = 0;
  /// Number of samples that may be submitted before one is collected, at least 1.
  virtual std::size_t most_in_flight() const = 0;
  /// Discards samples that were submitted and not collected.
  virtual void abandon() = 0;
};

}  // namespace edgeprobe::engine
