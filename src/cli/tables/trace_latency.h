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

/// Times in a trace: the latencies of its frames, and of each kernel if recorded.
struct TraceLatency {
  std::vector<double> seconds;  ///< Latencies of the frames that have one, ascending.
  std::optional<bench::LayerTimes> layers;
  /// Bytes of the engine's process, according to the trace.
  std::map<std::string, std::string> memory;
  /// Cost of recording the layers, according to the trace.
  std::string plain_median_ns, profiled_median_ns;
};
/// Reads all kernel times. Fails if one of their channels is damaged.
Result<TraceLatency> latency_of(const trace::Reader& reader);

/// The lines below "latency" and "layers" of `trace info --latency`.
std::string latency_text(const TraceLatency& latency);
/// The same as one JSON object.
std::string latency_json(const TraceLatency& latency);

}  // namespace edgeprobe::cli
