// SPDX-License-Identifier: Apache-2.0
#include "trace/event_stream.h"

#include "trace/names.h"

namespace edgeprobe::trace {

const char* name(EventStreamKind kind) {
  constexpr const char* kNames[]{"sensor", "mark", "level"};
  return kNames[static_cast<int>(kind)];
}

std::optional<EventStream> event_stream_from(std::string_view topic, std::string_view encoding) {
  constexpr std::string_view kSensor = "/sensor/", kMark = "/mark/";
  if (encoding != "json") return std::nullopt;
  if (topic.substr(0, kSensor.size()) == kSensor)
    return EventStream{EventStreamKind::kSensor, unescape(topic.substr(kSensor.size()))};
  if (topic.substr(0, kMark.size()) == kMark)
    return EventStream{EventStreamKind::kMark, unescape(topic.substr(kMark.size()))};
  if (topic == "/level") return EventStream{EventStreamKind::kLevel, ""};
  return std::nullopt;
}

}  // namespace edgeprobe::trace
