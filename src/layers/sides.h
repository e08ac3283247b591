// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "layers/capture/capture.h"
#include "layers/deployment.h"
#include "layers/pairing/pairing.h"

namespace edgeprobe::layers {

/// Results of both sides on the recorded inputs.
struct Sides {
  Pairing pairing;
  std::unique_ptr<TraceValues> target;
  std::unique_ptr<Values> reference;
  std::vector<model::NotCaptured> missing;  ///< Layers of the reference that were not captured.
  std::string unavailable;                  ///< Why the reference was not run.
};

/// Pairs the two models and runs the reference on the inputs that the target recorded in `frames`.
Result<Sides> both_sides(const Deployment& deployment, const std::vector<std::uint32_t>& frames,
                         const Control& control);

}  // namespace edgeprobe::layers
