// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

namespace edgeprobe::engine {

/// The descriptor through which an engine process reaches its parent.
inline constexpr int kWorkerSocket = 3;
/// Set in the environment of an engine process, which must never start another.
inline constexpr const char* kWorkerVariable = "EDGEPROBE_ENGINE_WORKER";

/// Sent to a late engine process before it is killed: it may print its current step.
inline constexpr int kTellRunning = SIGUSR1;

}  // namespace edgeprobe::engine
