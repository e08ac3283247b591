// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "engine/engine.h"
#include "trace/record/writer.h"

namespace edgeprobe::pipeline {

/// Returns the frame latencies in microseconds for a server that reports them only at the end
/// (engine/device_times.h), and stores them in `latency_ns`. If that server reports none, the
/// result is empty and a warning is added; empty for other engines.
std::optional<std::vector<double>> told_in_the_end(engine::Session& session,
                                                   std::vector<std::int64_t>& latency_ns,
                                                   std::vector<std::string>& warnings);

/// Writes how the time beyond the latency was spent, for an engine on another machine, in
/// microseconds. With `told`, the result of told_in_the_end(), the frame latencies are those of
/// whole exchanges.
Status write_way(trace::Writer& writer, const std::string& address,
                 const std::vector<engine::RemoteTimes>& times,
                 const std::optional<std::vector<double>>& told);

}  // namespace edgeprobe::pipeline
