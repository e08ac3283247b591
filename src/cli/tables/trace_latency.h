// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/layer_times.h"
#include "core/result.h"
#include "trace/read/reader.h"

namespace edgeprobe::cli {

/// What a trace says of time: the latencies of its frames, and those of each kernel where they were
/// recorded.
struct TraceLatency {
  std::vector<double> seconds;  ///< Of the frames that have a latency, ascending.
  std::optional<bench::LayerTimes> layers;
  /// Bytes of the engine's process; as the trace says it.
  std::map<std::string, std::string> memory;
  /// What recording the layers cost; as the trace says it.
  std::string plain_median_ns, profiled_median_ns;
};
/// Reads all kernel times. Fails when a channel of them is damaged.
Result<TraceLatency> latency_of(const trace::Reader& reader);

/// The lines below "latency" and "layers" of `trace info --latency`.
std::string latency_text(const TraceLatency& latency);
/// The same as one JSON object.
std::string latency_json(const TraceLatency& latency);

}  // namespace edgeprobe::cli
