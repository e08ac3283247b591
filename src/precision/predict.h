// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/control.h"
#include "layers/replay/fragment.h"
#include "precision/prediction.h"

/// What less precise arithmetic would do to a float model, computed on this machine.
namespace edgeprobe::precision {

/// Runs the model step by step on `host`, in float32 and under each scheme; kInt8 is calibrated
/// with `frames`. kUnsupported for a
/// model that keeps a state, that computes nothing in float32, or whose steps give other outputs
/// than the whole; kInterrupted when stopped before one scheme was done.
Result<Predicted> predict(const layers::Host& host, const layers::ModelFile& model,
                          const std::vector<Frame>& frames, const std::vector<Scheme>& schemes,
                          const Control& control);

}  // namespace edgeprobe::precision
