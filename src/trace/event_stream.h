// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace edgeprobe::trace {

/// Channels outside frames (docs/reference/trace-format.md, "What a probe adds").
enum class EventStreamKind {
  kSensor,  ///< "/sensor/<name>"
  kMark,    ///< "/mark/<name>"
  kLevel,   ///< "/level": a change of the recording level.
};

const char* name(EventStreamKind kind);  ///< "sensor", "mark", "level".

struct EventStream {
  EventStreamKind kind = EventStreamKind::kMark;
  std::string name;  ///< The app's name for it; empty for kLevel.
};
/// Empty if a channel with this topic and encoding is not an event stream.
std::optional<EventStream> event_stream_from(std::string_view topic, std::string_view encoding);

}  // namespace edgeprobe::trace
