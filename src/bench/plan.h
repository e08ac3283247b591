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
  std::optional<std::size_t> runs;  ///< That many inferences; else for `duration`.
  double duration = 5;              ///< Seconds.
  double warm_up_limit = 10;        ///< Seconds.
  double noisy_share = 0.05;
  Scenario scenario = Scenario::kSingleStream;
  /// Sessions at once, each in a process of its own (offline).
  int streams = 1;
  int batch = 1;  ///< Samples in one inference.
  bool layers = false;
  std::size_t cold = 0;  ///< Fresh processes.
};

/// The inputs of one inference; a configuration goes round them.
using Inputs = std::vector<std::vector<Tensor>>;
/// Makes them for the specs of a session.
using InputMaker = std::function<Result<Inputs>(const std::vector<TensorSpec>&)>;

}  // namespace edgeprobe::bench
