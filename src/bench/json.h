// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "bench/diff.h"
#include "bench/result.h"
#include "core/result.h"

namespace edgeprobe::bench {

/// The measurements as JSON (docs/guides/bench.md): Kenning's key names for the first
/// configuration, and every configuration in full.
std::string to_json(const Results& results, std::string_view version);

/// Reads what to_json() wrote, as far as a comparison needs it: the subject, the machine, and of
/// each configuration its name, runs and kernels. kCorrupt names the key that is missing or wrong.
Result<Results> results_from_json(std::string_view text);

/// A comparison as JSON (docs/guides/bench.md).
std::string to_json(const Diff& diff, const DiffOptions& options);

/// Chrome's trace event format, which Perfetto and chrome://tracing open: one process a
/// configuration, in it a track of the timed runs, one of the profiled runs with their kernels
/// below, and counters for the machine. Engines tell how long a kernel took, not when it began:
/// kernels are laid end to end from the start of their run.
std::string to_events(const Results& results);

}  // namespace edgeprobe::bench
