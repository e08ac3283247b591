// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/control.h"
#include "layers/replay/fragment.h"
#include "precision/prediction.h"

/// Predicts the effect of less precise arithmetic on a float model, computed on this machine.
namespace edgeprobe::precision {

/// Runs the model step by step on `host`, in float32 and under each scheme; kInt8 is calibrated
/// with `frames`. kUnsupported for a model that keeps a state, computes nothing in float32, or
/// whose steps produce different outputs than the whole; kInterrupted if stopped before one scheme
/// was done.
Result<Predicted> predict(const layers::Host& host, const layers::ModelFile& model,
                          const std::vector<Frame>& frames, const std::vector<Scheme>& schemes,
                          const Control& control);

}  // namespace edgeprobe::precision
