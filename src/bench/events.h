// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bench/result.h"

namespace edgeprobe::bench {

/// Chrome's trace event format, which Perfetto and chrome://tracing open: one process a
/// configuration, in it a track of the timed runs, one of the profiled runs with their kernels
/// below, and counters for the machine. Engines tell how long a kernel took, not when it began:
/// kernels are laid end to end from the start of their run.
std::string to_events(const Results& results);

}  // namespace edgeprobe::bench
