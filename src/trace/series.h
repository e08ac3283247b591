#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

/// What a trace holds beside its frames (docs/trace-format.md, "What a probe adds").
namespace edgeprobe::trace {

enum class SeriesKind {
  kSensor,  ///< "/sensor/<name>"
  kMark,    ///< "/mark/<name>"
  kLevel,   ///< "/level": a step of the level of recording.
};

struct Series {
  SeriesKind kind = SeriesKind::kMark;
  std::string name;  ///< As the app calls it; empty for kLevel.
};
/// Nothing when a channel of this topic and encoding is no series.
std::optional<Series> series_from(std::string_view topic, std::string_view encoding);

/// One moment of a series. What its kind does not have is empty.
struct Moment {
  std::uint64_t time_ns = 0;           ///< Since 1970-01-01 UTC.
  std::optional<std::uint32_t> frame;  ///< The newest frame at that time.
  std::optional<std::vector<double>> values;  ///< Of a sensor; nothing when it gave none, `reason` says why.
  std::string unit, reason;
  std::string text;      ///< Of a mark.
  std::string from, to;  ///< Of a step of the level.
};

/// Visits every moment in file order. Damaged chunks and messages are left out and become `problems`. Stops at the
/// first failure of the visitor and returns it. Memory does not grow with the file.
Status visit_series(const std::filesystem::path& path, std::vector<std::string>& problems,
                    const std::function<Status(const Series&, const Moment&)>& visitor);

}  // namespace edgeprobe::trace
