// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "bench/result.h"
#include "core/result.h"
#include "core/tensor.h"

namespace edgeprobe::bench {

struct Plan {
  std::optional<std::size_t> runs;  ///< Number of inferences; if unset, use `duration`.
  double duration = 5;              ///< Seconds.
  double warm_up_limit = 10;        ///< Seconds.
  double noisy_share = 0.05;
  Scenario scenario = Scenario::kSingleStream;
  /// Number of parallel sessions, each in a separate process (offline).
  int streams = 1;
  int batch = 1;  ///< Number of samples in one inference.
  bool layers = false;
  std::size_t cold = 0;  ///< Number of starts in fresh processes.
};

/// Inputs for the inferences; a configuration cycles through them.
using Inputs = std::vector<std::vector<Tensor>>;
/// Creates inputs for the specs of a session.
using InputMaker = std::function<Result<Inputs>(const std::vector<TensorSpec>&)>;

}  // namespace edgeprobe::bench
