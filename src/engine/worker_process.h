// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

namespace edgeprobe::engine {

/// The descriptor on which an engine process finds its parent.
inline constexpr int kWorkerSocket = 3;
/// Set in the environment of an engine process, which must never start another.
inline constexpr const char* kWorkerVariable = "EDGEPROBE_ENGINE_WORKER";

/// Sent to an engine process that took too long, before it is killed: it may print what it was at.
inline constexpr int kTellRunning = SIGUSR1;

}  // namespace edgeprobe::engine
