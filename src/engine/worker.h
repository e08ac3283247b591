#pragma once

namespace edgeprobe::engine {

/// The descriptor on which an engine process finds its parent.
inline constexpr int kWorkerSocket = 3;
/// Set in the environment of an engine process, which must never start another.
inline constexpr const char* kWorkerVariable = "EDGEPROBE_ENGINE_WORKER";

}  // namespace edgeprobe::engine
