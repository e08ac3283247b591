// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "trace/event_stream.h"

/// Contents of a trace outside its frames (docs/reference/trace-format.md, "What a probe adds").
namespace edgeprobe::trace {

/// One event of a stream. Fields that its kind lacks are empty.
struct Event {
  std::uint64_t time_ns = 0;           ///< Nanoseconds since 1970-01-01 UTC.
  std::optional<std::uint32_t> frame;  ///< The newest frame at that time.
  /// Sensor values; unset if the sensor delivered none, for the reason in `reason`.
  std::optional<std::vector<double>> values;
  std::string unit, reason;
  std::string text;      ///< Text of a mark.
  std::string from, to;  ///< Levels before and after a level change.
};

/// The event in a stream's message; nothing if the message breaks the format.
std::optional<Event> event_from(ByteView message, std::uint64_t time_ns);

/// Visits every event in file order. Skips damaged chunks and messages and reports them in
/// `problems`. Stops at the first failure of the visitor and returns it. Memory does not grow with
/// the file.
Status visit_events(const std::filesystem::path& path, std::vector<std::string>& problems,
                    const std::function<Status(const EventStream&, const Event&)>& visitor);

}  // namespace edgeprobe::trace
