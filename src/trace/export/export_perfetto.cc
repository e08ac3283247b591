// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "trace/export/export.h"
#include "trace/frame_json.h"
#include "trace/read/answer_text.h"
#include "trace/read/events.h"
#include "trace/record/output_file.h"

namespace edgeprobe::trace {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kBuffer = std::size_t{1} << 20;
constexpr std::size_t kMostCounters = 64;  // values per variable or sensor
/// After these, one track per processor, sorted by name.
enum Track { kFrames = 1, kSpans = 2, kProcessors = 3 };
constexpr const char* kProcessor = "processor";

/// Writes trace events (JSON for Perfetto and chrome://tracing) to a file, one per line.
class Events {
 public:
  Events(OutputFile& file, std::uint64_t start_ns) : file_(file), start_ns_(start_ns) {}

  double micro(std::uint64_t time_ns) const {
    // A double cannot hold nanoseconds since 1970 exactly, so times start at 0.
    return static_cast<double>(static_cast<std::int64_t>(time_ns - start_ns_)) / 1e3;
  }
  Status slice(const std::string& name, std::uint64_t start_ns, std::int64_t duration_ns, int track,
               Json args) {
    Json event{{"name", name},
               {"ph", "X"},
               {"ts", micro(start_ns)},
               {"dur", static_cast<double>(duration_ns) / 1e3},
               {"pid", 1},
               {"tid", track}};
    if (!args.empty()) event["args"] = std::move(args);
    return put(event);
  }
  /// One counter per value; non-finite values are left out because JSON cannot express them.
  Status counters(const std::string& name, std::uint64_t time_ns, const std::vector<double>& values,
                  const std::string& unit) {
    Json args = Json::object();
    for (std::size_t i = 0; i < std::min(values.size(), kMostCounters); ++i)
      if (std::isfinite(values[i]))
        args[values.size() == 1 ? (unit.empty() ? "value" : unit) : std::to_string(i)] = values[i];
    if (args.empty()) return {};
    return put({{"name", name},
                {"ph", "C"},
                {"ts", micro(time_ns)},
                {"pid", 1},
                {"args", std::move(args)}});
  }
  Status instant(const std::string& name, std::uint64_t time_ns, Json args) {
    return put({{"name", name},
                {"ph", "i"},
                {"ts", micro(time_ns)},
                {"pid", 1},
                {"tid", static_cast<int>(kFrames)},
                {"s", "g"},
                {"args", std::move(args)}});
  }
  /// The track for spans of this processor.
  int track_of(const std::string& processor) const {
    const auto found = processors_.find(processor);
    return found == processors_.end() ? int{kSpans} : found->second;
  }
  /// Names a track for each processor found in the channels.
  Status add_processors(const std::vector<ReadChannel>& channels) {
    for (const ReadChannel& channel : channels)
      if (const auto key = channel.channel.extra.find(kProcessor);
          key != channel.channel.extra.end() && channel.channel.stage == Stage::kSpan)
        processors_.emplace(key->second, 0);
    int track = kProcessors;
    for (auto& [processor, place] : processors_) {
      place = track++;
      EP_CHECK(label("thread_name", sanitized(processor, 100).c_str(), place));
    }
    return {};
  }
  Status label(const char* what, const char* name, int track) {
    return put(
        {{"name", what}, {"ph", "M"}, {"pid", 1}, {"tid", track}, {"args", {{"name", name}}}});
  }
  Status end() {
    text_ += count_ ? "\n]}\n" : "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[]}\n";
    return file_.append({view_of(text_)});
  }
  std::uint64_t count() const { return count_; }

 private:
  Status put(const Json& event) {
    text_ += count_++ ? ",\n" : "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
    text_ += event.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text_.size() < kBuffer) return {};
    auto done = file_.append({view_of(text_)});
    text_.clear();
    return done;
  }
  OutputFile& file_;
  std::uint64_t start_ns_;
  std::string text_;
  std::uint64_t count_ = 0;
  std::map<std::string, int> processors_;
};

std::uint64_t first_time(const Reader& reader) {
  for (const FrameRecord& record : reader.records())
    if (record.time_ns) return record.time_ns;
  return 0;
}

Status put_tensor(Events& events, const ReadChannel& channel, std::uint32_t frame,
                  std::uint64_t time_ns, ByteView bytes) {
  const Channel& c = channel.channel;
  const std::string name = sanitized(c.spec.name, 200);
  if (c.stage == Stage::kSpan && c.spec.dtype == DType::kInt64 && bytes.size == 16) {
    std::int64_t span[2];
    std::memcpy(span, bytes.data, sizeof span);
    const auto key = c.extra.find(kProcessor);
    return events.slice(name, static_cast<std::uint64_t>(span[0]), span[1],
                        key == c.extra.end() ? int{kSpans} : events.track_of(key->second),
                        {{"frame", frame}});
  }
  if (c.is_answer())
    return events.instant(name, time_ns, {{"text", answer_line(bytes)}, {"frame", frame}});
  if (c.stage != Stage::kVariable) return {};
  if (c.is_open())
    return events.instant(name, time_ns,
                          {{"text", sanitized(bytes.text(), 4096)}, {"frame", frame}});
  const auto values = to_float(TensorView(c.spec, bytes));
  // counters are for curves, not for large tensors
  if (!values || values->size() > kMostCounters) return {};
  return events.counters(name, time_ns, std::vector<double>(values->begin(), values->end()), "");
}

Status put_event(Events& events, const EventStream& stream, const Event& event) {
  const std::string name = sanitized(stream.name, 200);
  switch (stream.kind) {
    case EventStreamKind::kSensor:
      return event.values
                 ? events.counters(name, event.time_ns, *event.values, sanitized(event.unit, 40))
                 : Status();
    case EventStreamKind::kMark:
      return events.instant(name, event.time_ns, {{"text", sanitized(event.text, 4096)}});
    case EventStreamKind::kLevel:
      return events.instant(
          "level: " + sanitized(event.from, 20) + " to " + sanitized(event.to, 20), event.time_ns,
          {{"reason", sanitized(event.reason, 400)}});
  }
  return {};
}

}  // namespace

Result<ExportReport> export_perfetto(const Reader& reader, const std::filesystem::path& path,
                                     const ExportOptions& options, const Control& control) {
  EP_TRY(auto file, OutputFile::create_hidden(path, options.replace));
  Events events(file, first_time(reader));
  ExportReport report;
  auto done = events.label("process_name", "edgeprobe", 0);
  if (done) done = events.label("thread_name", "frames", kFrames);
  if (done) done = events.label("thread_name", "spans", kSpans);
  if (done) done = events.add_processors(reader.channels());
  std::size_t untimed = 0;
  for (std::size_t i = 0; done && i < reader.records().size(); ++i) {
    if (control.stopped()) return stopped_error();
    const FrameRecord& record = reader.records()[i];
    if (!record.time_ns || !record.latency_ns) {
      ++untimed;
      continue;
    }
    Json args{{"frame", record.frame}};
    if (!record.sample.empty()) args["sample"] = sanitized(record.sample, 400);
    if (record.label) args["label"] = *record.label;
    if (record.annotation) args["annotation"] = annotation_json(*record.annotation);
    done = events.slice("inference", record.time_ns, *record.latency_ns, kFrames, std::move(args));
  }
  if (untimed)
    report.note(std::to_string(untimed) + " frames have no time or no latency and are left out");
  if (done)
    done = reader.visit([&](const ReadChannel& channel, std::uint32_t frame, std::uint64_t time_ns,
                            ByteView bytes) -> Status {
      if (control.stopped()) return stopped_error();
      return put_tensor(events, channel, frame, time_ns, bytes);
    });
  std::vector<std::string> problems;
  if (done)
    done = visit_events(reader.path(), problems,
                        [&](const EventStream& stream, const Event& event) -> Status {
                          if (control.stopped()) return stopped_error();
                          return put_event(events, stream, event);
                        });
  if (done) done = events.end();
  report.rows = events.count();
  if (done) done = file.close();
  if (done) done = file.place();
  if (!done) return done.error();
  return report;
}

}  // namespace edgeprobe::trace
