// SPDX-License-Identifier: Apache-2.0
#include "fleet/facts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "logged/columns.h"
#include "stats/quantile.h"
#include "trace/read/events.h"

namespace edgeprobe::fleet {
namespace {

constexpr const char* kSeveral = "(several)";
// Facts about a recording, not about a device.
constexpr std::array<std::string_view, 6> kOfRecording{"started", "frames",    "sequence_begins",
                                                       "crc32",   "device_id", "serial"};
constexpr std::array<std::string_view, 2> kIdentities{"device_id", "serial"};
// Frames used for medians: enough for a median, few for a long recording.
constexpr std::size_t kMostFrames = 1000;

std::vector<std::uint32_t> some(const std::vector<std::uint32_t>& frames) {
  if (frames.size() <= kMostFrames) return frames;
  std::vector<std::uint32_t> chosen;
  for (std::size_t i = 0; i < kMostFrames; ++i)
    chosen.push_back(frames[i * frames.size() / kMostFrames]);
  return chosen;
}

void add_metadata(const trace::Reader& reader, DeviceFacts& facts) {
  for (const auto& [group, values] : reader.metadata()) {
    const bool is_run = group == "edgeprobe.run";
    if (!is_run && group.starts_with("edgeprobe.")) continue;
    for (const auto& [key, value] : values)
      if (std::find(kOfRecording.begin(), kOfRecording.end(), key) == kOfRecording.end())
        facts.texts[is_run ? key : group + "." + key] = value;
  }
  for (const std::string_view key : kIdentities)
    if (facts.device.empty()) facts.device = reader.declared(std::string(key)).value_or("");
  const auto part = reader.metadata().find("edgeprobe.part");
  if (facts.device.empty() && part != reader.metadata().end())
    if (const auto series = part->second.find("series"); series != part->second.end())
      facts.device = "series " + series->second;
  const auto dropped = reader.metadata().find("edgeprobe.dropped");
  double frames = 0;
  if (dropped != reader.metadata().end())
    if (const auto at = dropped->second.find("frames"); at != dropped->second.end())
      std::from_chars(at->second.data(), at->second.data() + at->second.size(), frames);
  facts.numbers["frames dropped"] = {frames, ""};
}

// A fact from metadata takes priority over a logged one of the same name.
void add_text(DeviceFacts& facts, const std::string& name,
              const std::vector<std::optional<std::string>>& values) {
  std::optional<std::string> one;
  for (const auto& value : values) {
    if (!value) continue;
    if (!one) one = value;
    if (*one != *value) one = kSeveral;
  }
  if (one) facts.texts.emplace(name, *one);
}

Status add_marks(const trace::Reader& reader, DeviceFacts& facts) {
  std::map<std::string, std::vector<std::optional<std::string>>> marks;
  std::vector<std::string> problems;
  auto visited = trace::visit_events(
      reader.path(), problems,
      [&](const trace::EventStream& stream, const trace::Event& event) -> Status {
        if (stream.kind == trace::EventStreamKind::kMark) marks[stream.name].push_back(event.text);
        return {};
      });
  if (!visited) return visited;
  for (const auto& [name, texts] : marks) {
    add_text(facts, "mark " + name, texts);
    facts.numbers["marks " + name] = {static_cast<double>(texts.size()), ""};
  }
  return {};
}

}  // namespace

Result<DeviceFacts> facts_of(const trace::Reader& reader) {
  DeviceFacts facts;
  add_metadata(reader, facts);
  const std::vector<std::uint32_t> frames = some(reader.frames());
  std::vector<std::string> warnings;
  EP_TRY(const auto scalars, logged::scalars_of(reader, frames, warnings));
  for (const logged::ScalarColumn& column : scalars) {
    if (column.name == "frames dropped before") continue;
    std::vector<double> values;
    for (const double value : column.values)
      if (std::isfinite(value)) values.push_back(value);
    const bool is_frame = column.source == logged::Source::kFrame;
    if (!values.empty())
      facts.numbers[is_frame ? column.name
                             : std::string(logged::name(column.source)) + " " + column.name] = {
          stats::median(values), column.unit};
  }
  EP_TRY(const auto texts, logged::categories_of(reader, frames, warnings));
  for (const logged::CategoryColumn& column : texts)
    if (!column.name.starts_with("mark ")) add_text(facts, column.name, column.values);
  EP_CHECK(add_marks(reader, facts));
  return facts;
}

}  // namespace edgeprobe::fleet
