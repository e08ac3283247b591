// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/result.h"
#include "engine/engine.h"

namespace edgeprobe::engine {

/// Implements Session::bind() for any engine with infer() and copies; calls `seen` with each
/// inference. Fails like Session::bind(); the places need no alignment.
Result<std::unique_ptr<Binding>> bind_by_copies(Session& session, const std::vector<Place>& inputs,
                                                const std::vector<Place>& outputs,
                                                std::function<void(Inference&)> seen = {});

}  // namespace edgeprobe::engine
