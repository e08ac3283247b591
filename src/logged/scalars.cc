// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "logged/columns.h"
#include "stats/quantile.h"
#include "trace/read/events.h"

namespace edgeprobe::logged {
namespace {

constexpr std::size_t kMostComponents = 16;
constexpr std::uint64_t kNear = 1'000'000'000;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::string component_name(const std::string& name, std::size_t count, std::size_t i) {
  return count == 1 ? name : name + "[" + std::to_string(i) + "]";
}

class Columns {
 public:
  explicit Columns(std::size_t frames) : frames_(frames) {}

  // The column of that name; null if there are too many.
  ScalarColumn* column(Source source, const std::string& name, const std::string& unit) {
    const auto known = places_.find({source, name});
    if (known != places_.end()) return &columns_[known->second];
    if (columns_.size() >= kMostColumns) {
      ++left_out_;
      return nullptr;
    }
    places_[{source, name}] = columns_.size();
    columns_.push_back({name, source, unit, std::vector<double>(frames_, kNone)});
    return &columns_.back();
  }
  void set(Source source, const std::string& name, const std::string& unit, std::size_t frame,
           double value) {
    if (ScalarColumn* const at = column(source, name, unit)) at->values[frame] = value;
  }

  std::vector<ScalarColumn> take(std::vector<std::string>& warnings) {
    if (left_out_)
      warnings.push_back("more than " + std::to_string(kMostColumns) +
                         " scalars were logged; the first ones are tested");
    return std::move(columns_);
  }

 private:
  std::size_t frames_, left_out_ = 0;
  std::vector<ScalarColumn> columns_;
  std::map<std::pair<Source, std::string>, std::size_t> places_;
};

Status add_variables(const trace::Reader& reader, const std::vector<std::uint32_t>& frames,
                     Columns& columns) {
  for (const trace::ReadChannel& channel : reader.channels()) {
    const bool is_span = channel.channel.stage == trace::Stage::kSpan;
    if ((!is_span && channel.channel.stage != trace::Stage::kVariable) || channel.channel.is_open())
      continue;
    const auto count = element_count(channel.channel.spec.shape);
    if (!count || *count == 0 || *count > kMostComponents || (is_span && *count != 2)) continue;
    const std::string& name = channel.channel.spec.name;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      EP_TRY(const auto tensor, reader.read(frames[i], channel.id));
      if (!tensor) continue;
      if (is_span) {
        if (tensor->bytes.size != 16) continue;
        std::int64_t duration;
        std::copy_n(tensor->bytes.data + 8, 8, reinterpret_cast<std::byte*>(&duration));
        columns.set(Source::kSpan, name, "ms", i, static_cast<double>(duration) * 1e-6);
        continue;
      }
      const auto values = to_float(*tensor);
      if (!values) break;  // no numbers
      for (std::size_t k = 0; k < values->size(); ++k)
        columns.set(Source::kVariable, component_name(name, values->size(), k), "", i,
                    static_cast<double>((*values)[k]));
    }
  }
  return {};
}

struct SensorMoments {
  std::string unit;
  std::vector<std::pair<std::uint64_t, std::vector<double>>> events;  // by time, once sorted
};

void join(const std::string& name, SensorMoments& sensor, const std::vector<std::uint64_t>& times,
          Columns& columns) {
  auto& events = sensor.events;
  std::stable_sort(events.begin(), events.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::uint64_t> periods;
  for (std::size_t i = 1; i < events.size(); ++i)
    periods.push_back(events[i].first - events[i - 1].first);
  std::uint64_t reach = kNear;
  reach = std::max(reach, 2 * stats::upper_median(periods));
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i] == 0) continue;
    auto after = std::lower_bound(events.begin(), events.end(), times[i],
                                  [](const auto& m, std::uint64_t t) { return m.first < t; });
    const auto distance = [&](auto at) {
      return at->first > times[i] ? at->first - times[i] : times[i] - at->first;
    };
    auto nearest = after;
    if (nearest == events.end() ||
        (nearest != events.begin() && distance(std::prev(nearest)) <= distance(nearest)))
      nearest = std::prev(nearest);
    if (distance(nearest) > reach) continue;
    const std::vector<double>& values = nearest->second;
    double squares = 0;
    for (std::size_t k = 0; k < values.size(); ++k) {
      columns.set(Source::kSensor, component_name(name, values.size(), k), sensor.unit, i,
                  values[k]);
      squares += values[k] * values[k];
    }
    if (values.size() == 3)
      columns.set(Source::kSensor, "|" + name + "|", sensor.unit, i, std::sqrt(squares));
  }
}

}  // namespace

const char* name(Source source) {
  static constexpr const char* kNames[] = {"variable", "span", "sensor", "frame"};
  return kNames[static_cast<std::size_t>(source)];
}

Result<std::vector<ScalarColumn>> scalars_of(const trace::Reader& reader,
                                             const std::vector<std::uint32_t>& frames,
                                             std::vector<std::string>& warnings) {
  Columns columns(frames.size());
  EP_CHECK(add_variables(reader, frames, columns));
  std::vector<std::uint64_t> times(frames.size(), 0);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const auto at = std::lower_bound(reader.frames().begin(), reader.frames().end(), frames[i]);
    if (at == reader.frames().end() || *at != frames[i]) continue;
    const trace::FrameRecord& record =
        reader.records()[static_cast<std::size_t>(at - reader.frames().begin())];
    times[i] = record.time_ns;
    if (record.latency_ns)
      columns.set(Source::kFrame, "latency", "ms", i,
                  static_cast<double>(*record.latency_ns) * 1e-6);
    if (at != reader.frames().begin())
      columns.set(Source::kFrame, "frames dropped before", "", i,
                  static_cast<double>(*at - *std::prev(at) - 1));
  }
  std::map<std::string, SensorMoments> sensors;
  std::vector<std::string> problems;
  auto visited = trace::visit_events(
      reader.path(), problems,
      [&](const trace::EventStream& stream, const trace::Event& event) -> Status {
        if (stream.kind != trace::EventStreamKind::kSensor || !event.values ||
            event.values->empty() || event.values->size() > kMostComponents)
          return {};
        SensorMoments& sensor = sensors[stream.name];
        sensor.unit = event.unit;
        sensor.events.emplace_back(event.time_ns, *event.values);
        return {};
      });
  if (!visited) return std::move(visited.error());
  for (auto& [name, sensor] : sensors) join(name, sensor, times, columns);
  return columns.take(warnings);
}

std::vector<ScalarColumn> changing(std::vector<ScalarColumn> columns) {
  std::erase_if(columns, [](const ScalarColumn& one) {
    double least = std::numeric_limits<double>::infinity(), largest = -least;
    for (const double value : one.values)
      if (std::isfinite(value)) least = std::min(least, value), largest = std::max(largest, value);
    return !(least < largest);
  });
  return columns;
}

}  // namespace edgeprobe::logged
