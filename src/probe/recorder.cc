#include "probe/recorder.h"

#include <cmath>

#include "core/text.h"
#include "trace/json_text.h"
#include "trace/names.h"

namespace edgeprobe::probe {
namespace {

// Facts about a deployment are few; who logs values this way fills memory.
constexpr std::size_t kMostFacts = 1000;
constexpr std::size_t kMostValues = 2048;  // their JSON stays below 64 KiB

}  // namespace

Result<const Known*> Recorder::find(const Known* last, const Logged& logged, Marks& used) {
  return channels.find(last, logged, used,
                       [this](const trace::Channel& channel) -> Result<trace::ChannelId> { return sink.add_channel(channel); });
}

Status Recorder::describe(const std::string& key, const std::string& value) {
  const std::lock_guard lock(facts_mutex_);
  const auto at = facts_.find(key);
  if (at != facts_.end() && at->second == value) return {};
  if (at == facts_.end() && facts_.size() >= kMostFacts)
    return Error{Fault::kLimit, "at most " + std::to_string(kMostFacts) + " facts describe a deployment; values belong into frames"};
  facts_[key] = value;
  return sink.metadata("edgeprobe.run", {{key, value}});
}

Status Recorder::mark(std::string_view name, std::string_view text) {
  std::string json = "{\"text\":";
  trace::append_json_text(json, trace::as_utf8(text));
  return moment("/mark/" + trace::escape(name), std::move(json));
}

Status Recorder::sensor(std::string_view name, const double* values, std::size_t count, std::string_view unit) {
  if (count > kMostValues)
    return Error{Fault::kLimit, "sensor '" + printable(name, 60) + "': " + std::to_string(count) + " values, at most " +
                                    std::to_string(kMostValues) + " are recorded at a time"};
  for (std::size_t i = 0; i < count; ++i)
    if (!std::isfinite(values[i])) return sensor_absent(name, unit, "not a finite number");
  std::string json = "{\"values\":[";
  for (std::size_t i = 0; i < count; ++i) {
    if (i) json += ',';
    trace::append_json_number(json, values[i]);
  }
  json += "],\"unit\":";
  trace::append_json_text(json, trace::as_utf8(unit));
  return moment("/sensor/" + trace::escape(name), std::move(json));
}

Status Recorder::sensor_absent(std::string_view name, std::string_view unit, std::string_view reason) {
  std::string json = "{\"values\":null,\"reason\":";
  trace::append_json_text(json, trace::as_utf8(reason));
  json += ",\"unit\":";
  trace::append_json_text(json, trace::as_utf8(unit));
  return moment("/sensor/" + trace::escape(name), std::move(json));
}

Status Recorder::moment(const std::string& topic, std::string json) {
  if (const std::uint64_t begun = frames.load(std::memory_order_relaxed)) {
    json += ",\"frame\":";
    trace::append_json_number(json, begun - 1);
  }
  json += '}';
  return sink.series(topic, clock.now_ns(), json);
}

}  // namespace edgeprobe::probe
