// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/control.h"
#include "layers/replay/kernel_error.h"

namespace edgeprobe::layers {

/// Bytes of all inputs and outputs of a batch in one frame; a layer with more is a batch by itself.
constexpr std::size_t kMostOfBatch = std::size_t{4} << 20;

/// Layers that can run side by side in one part of the model, because none reads what another one
/// of them computes. Every layer of `layers` (ascending, playable ones) is in one batch; layers
/// whose recorded input shapes are not those of the file are batches by themselves.
std::vector<std::vector<int>> batches_of(const ModelFile& model, const std::vector<int>& layers,
                                         const Values& values);

/// Kernel errors of `layers`, in that order, as kernel_error_of() finds them one by one. Opening a
/// part costs more than running it, so that each batch is opened once. A batch that fails in any
/// way, and a layer that a batch finds faulty, are replayed again layer by layer: an engine process
/// that one kernel ends then costs that layer only. Fails only if it is interrupted; layers that
/// cannot be replayed have KernelError::not_checked.
Result<std::vector<KernelError>> kernel_errors_of(const Host& host, const ModelFile& model,
                                                  const std::vector<int>& layers,
                                                  const Values& values, const Control& control);

}  // namespace edgeprobe::layers
