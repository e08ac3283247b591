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

/// The latencies of the frames in microseconds, of a server that tells them in the end alone
/// (engine/device_times.h): `latency_ns` has them then. Without any where it tells none, which is a
/// further warning; nothing for other engines.
std::optional<std::vector<double>> told_in_the_end(engine::Session& session,
                                                   std::vector<std::int64_t>& latency_ns,
                                                   std::vector<std::string>& warnings);

/// Where the time beyond the latency went, of an engine on another machine; in microseconds. With
/// `told`, what told_in_the_end() gave, the latencies of the frames are those of whole exchanges.
Status write_way(trace::Writer& writer, const std::string& address,
                 const std::vector<engine::RemoteTimes>& times,
                 const std::optional<std::vector<double>>& told);

}  // namespace edgeprobe::pipeline
