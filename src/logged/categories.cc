// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "logged/columns.h"
#include "trace/read/events.h"

namespace edgeprobe::logged {
namespace {

constexpr const char* kNoneYet = "(none yet)";
// A probe's own mark for uncertain frames: a consequence, whatever the cause.
constexpr const char* kTrip = "trip";

using Texts = std::vector<std::optional<std::string>>;

Status add_variables(const trace::Reader& reader, const std::vector<std::uint32_t>& frames,
                     std::vector<CategoryColumn>& columns) {
  for (const trace::ReadChannel& channel : reader.channels()) {
    const std::string& encoding = channel.channel.encoding;
    if (channel.channel.stage != trace::Stage::kVariable ||
        (encoding != "utf8" && encoding != "json"))
      continue;
    CategoryColumn column{channel.channel.spec.name, Texts(frames.size())};
    for (std::size_t i = 0; i < frames.size(); ++i) {
      EP_TRY(const auto text, reader.read(frames[i], channel.id));
      if (text) column.values[i] = std::string(text->bytes.text());
    }
    columns.push_back(std::move(column));
  }
  return {};
}

// Each frame's record, null if it has none.
std::vector<const trace::FrameRecord*> records_of(const trace::Reader& reader,
                                                  const std::vector<std::uint32_t>& frames) {
  std::vector<const trace::FrameRecord*> records(frames.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const auto at = std::lower_bound(reader.frames().begin(), reader.frames().end(), frames[i]);
    if (at != reader.frames().end() && *at == frames[i])
      records[i] = &reader.records()[static_cast<std::size_t>(at - reader.frames().begin())];
  }
  return records;
}

// The newest text of a stream at each frame's time.
CategoryColumn newest(const std::string& name, const std::string& before,
                      std::vector<std::pair<std::uint64_t, std::string>> events,
                      const std::vector<const trace::FrameRecord*>& records) {
  std::stable_sort(events.begin(), events.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  CategoryColumn column{name, Texts(records.size())};
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (!records[i] || records[i]->time_ns == 0) continue;
    const auto after = std::upper_bound(events.begin(), events.end(), records[i]->time_ns,
                                        [](std::uint64_t t, const auto& e) { return t < e.first; });
    column.values[i] = after == events.begin() ? before : std::prev(after)->second;
  }
  return column;
}

Status add_events(const trace::Reader& reader,
                  const std::vector<const trace::FrameRecord*>& records,
                  std::vector<CategoryColumn>& columns) {
  std::map<std::string, std::vector<std::pair<std::uint64_t, std::string>>> marks;
  std::vector<std::pair<std::uint64_t, std::string>> levels;
  std::string first_level;
  std::vector<std::string> problems;
  auto visited = trace::visit_events(
      reader.path(), problems,
      [&](const trace::EventStream& stream, const trace::Event& event) -> Status {
        if (stream.kind == trace::EventStreamKind::kMark && stream.name != kTrip)
          marks[stream.name].emplace_back(event.time_ns, event.text);
        if (stream.kind == trace::EventStreamKind::kLevel) {
          if (levels.empty()) first_level = event.from;
          levels.emplace_back(event.time_ns, event.to);
        }
        return {};
      });
  if (!visited) return visited;
  for (auto& [name, events] : marks)
    columns.push_back(newest("mark " + name, kNoneYet, std::move(events), records));
  if (!levels.empty()) columns.push_back(newest("level", first_level, std::move(levels), records));
  return {};
}

}  // namespace

Result<std::vector<CategoryColumn>> categories_of(const trace::Reader& reader,
                                                  const std::vector<std::uint32_t>& frames,
                                                  std::vector<std::string>& warnings) {
  std::vector<CategoryColumn> columns;
  EP_CHECK(add_variables(reader, frames, columns));
  const auto records = records_of(reader, frames);
  EP_CHECK(add_events(reader, records, columns));
  if (columns.size() > kMostColumns) {
    columns.resize(kMostColumns);
    warnings.push_back("more than " + std::to_string(kMostColumns) +
                       " texts were logged; the first ones are tested");
  }
  return columns;
}

std::vector<CategoryColumn> changing(std::vector<CategoryColumn> columns) {
  std::erase_if(columns, [](const CategoryColumn& one) {
    const std::optional<std::string>* first = nullptr;
    for (const auto& value : one.values) {
      if (!value) continue;
      if (first && *first != value) return false;
      first = &value;
    }
    return true;
  });
  return columns;
}

}  // namespace edgeprobe::logged
