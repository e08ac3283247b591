// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "bench/load.h"
#include "bench/result.h"
#include "core/control.h"

namespace edgeprobe::bench {

/// Starts the engine `count` times, each in a fresh process, and times each phase up to the first
/// answer. The files are in the page cache after the first start. Ends early, with what is done,
/// when the user asks for it.
Result<std::vector<ColdStart>> cold_starts(const Model& model,
                                           const engine::SessionOptions& options,
                                           const std::vector<Tensor>& inputs, std::size_t count,
                                           const Control& control);

}  // namespace edgeprobe::bench
