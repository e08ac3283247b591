// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/engine.h"
#include "engine/onnxruntime/runtime.h"

namespace edgeprobe::engine::onnxruntime {

/// Stands for the folder of a model that may keep nothing outside of its file.
inline constexpr const char* kNoFolder = "/nonexistent/edgeprobe";

/// The library's options for a session. Fails where `options` asks for what this engine does not
/// have (kUnsupported). `delegations` and `warnings` receive what became of each provider that was
/// asked for.
Result<Owned<CSessionOptions>> create_options(Runtime& runtime, const SessionOptions& options,
                                              std::vector<Delegation>& delegations,
                                              std::vector<std::string>& warnings);

}  // namespace edgeprobe::engine::onnxruntime
