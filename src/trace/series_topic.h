// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace edgeprobe::trace {

/// Channels that are no part of a frame (docs/reference/trace-format.md, "What a probe adds").
enum class SeriesKind {
  kSensor,  ///< "/sensor/<name>"
  kMark,    ///< "/mark/<name>"
  kLevel,   ///< "/level": a step of the level of recording.
};

const char* name(SeriesKind kind);  ///< "sensor", "mark", "level".

struct Series {
  SeriesKind kind = SeriesKind::kMark;
  std::string name;  ///< As the app calls it; empty for kLevel.
};
/// Nothing when a channel of this topic and encoding is no series.
std::optional<Series> series_from(std::string_view topic, std::string_view encoding);

}  // namespace edgeprobe::trace
