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

/// Parses the result of to_json(), as far as a comparison needs it: the subject, the machine, and
/// the name, runs and kernels of each configuration. kCorrupt names the key that is missing or
/// wrong.
Result<Results> results_from_json(std::string_view text);

/// A comparison as JSON (docs/guides/bench.md).
std::string to_json(const Diff& diff, const DiffOptions& options);

/// Chrome's trace event format, for Perfetto and chrome://tracing: one process for each
/// configuration, with a track for the timed runs, one for the profiled runs with their kernels
/// below, and counters for the machine. Engines report the duration of a kernel, not its start:
/// kernels are placed end to end from the start of their run.
std::string to_events(const Results& results);

}  // namespace edgeprobe::bench
