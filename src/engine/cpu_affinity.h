// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/engine.h"

namespace edgeprobe::engine {

/// The same engine, whose sessions load and run on SessionOptions::cpus: the calling thread is kept
/// on them for the length of each call, and so is every thread that the runtime starts meanwhile.
/// kUsage for a CPU that this process does not have.
std::unique_ptr<Engine> with_cpu_affinity(std::unique_ptr<Engine> engine);

}  // namespace edgeprobe::engine
