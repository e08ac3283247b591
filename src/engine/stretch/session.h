// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "stretch/plan.h"

namespace edgeprobe::engine::stretch {

/// Keyed by the engine's text in a plan.
using Engines = std::map<std::string, std::unique_ptr<Engine>>;

/// Cuts the model according to the plan, loads each piece on its processor's engine, runs each a
/// few times, pins the engines' threads to their processor's CPUs, and starts a runner. `engines`
/// has every engine of the plan. kUsage for a plan of another model or one whose processors cannot
/// run it; kUnsupported for a model with tensor shapes that do not follow from its inputs' shapes.
Result<std::unique_ptr<Session>> load_session(const edgeprobe::stretch::Plan& plan,
                                              std::shared_ptr<const Engines> engines,
                                              ByteView model, std::string_view label,
                                              const SessionOptions& options);

}  // namespace edgeprobe::engine::stretch
