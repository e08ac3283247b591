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

/// What a trace holds beside its frames (docs/reference/trace-format.md, "What a probe adds").
namespace edgeprobe::trace {

/// One event of a stream. What its kind does not have is empty.
struct Event {
  std::uint64_t time_ns = 0;           ///< Since 1970-01-01 UTC.
  std::optional<std::uint32_t> frame;  ///< The newest frame at that time.
  /// Of a sensor; nothing when it gave none, `reason` says why.
  std::optional<std::vector<double>> values;
  std::string unit, reason;
  std::string text;      ///< Of a mark.
  std::string from, to;  ///< Of a step of the level.
};

/// The event that a message of a stream holds; nothing when it is not what the format says.
std::optional<Event> event_from(ByteView message, std::uint64_t time_ns);

/// Visits every event in file order. Damaged chunks and messages are left out and become
/// `problems`. Stops at the first failure of the visitor and returns it. Memory does not grow with
/// the file.
Status visit_events(const std::filesystem::path& path, std::vector<std::string>& problems,
                    const std::function<Status(const EventStream&, const Event&)>& visitor);

}  // namespace edgeprobe::trace
