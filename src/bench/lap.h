// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <vector>

#include "bench/result.h"
#include "core/tensor.h"
#include "engine/engine.h"

namespace edgeprobe::bench {

double seconds(std::chrono::nanoseconds time);

/// The tensors, borrowed.
std::vector<TensorView> views(const std::vector<Tensor>& tensors);

/// One run as an engine timed it; its start is `offset` seconds later.
Run run_of(const engine::Iteration& iteration, double offset);

}  // namespace edgeprobe::bench
