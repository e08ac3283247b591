// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "stretch/plan.h"

namespace edgeprobe::engine::stretch {

/// By the text that names it in a plan.
using Engines = std::map<std::string, std::unique_ptr<Engine>>;

/// Cuts the model as the plan says, loads each piece on its processor's engine, runs each a few
/// times, keeps the threads that the engines started on their processor's CPUs, and starts a
/// runner. `engines` has every engine of the plan. kUsage for a plan of another model and for one
/// whose processors cannot run it; kUnsupported for a model whose tensors have shapes that its
/// inputs' shapes do not decide.
Result<std::unique_ptr<Session>> load_session(const edgeprobe::stretch::Plan& plan,
                                              std::shared_ptr<const Engines> engines,
                                              ByteView model, std::string_view label,
                                              const SessionOptions& options);

}  // namespace edgeprobe::engine::stretch
