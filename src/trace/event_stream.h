// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace edgeprobe::trace {

/// Channels that are no part of a frame (docs/reference/trace-format.md, "What a probe adds").
enum class EventStreamKind {
  kSensor,  ///< "/sensor/<name>"
  kMark,    ///< "/mark/<name>"
  kLevel,   ///< "/level": a step of the level of recording.
};

const char* name(EventStreamKind kind);  ///< "sensor", "mark", "level".

struct EventStream {
  EventStreamKind kind = EventStreamKind::kMark;
  std::string name;  ///< As the app calls it; empty for kLevel.
};
/// Nothing when a channel of this topic and encoding is no event stream.
std::optional<EventStream> event_stream_from(std::string_view topic, std::string_view encoding);

}  // namespace edgeprobe::trace
