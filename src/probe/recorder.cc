// SPDX-License-Identifier: Apache-2.0
#include "probe/recorder.h"

#include <cmath>

#include "core/text.h"
#include "trace/json_text.h"
#include "trace/names.h"

namespace edgeprobe::probe {
namespace {

// A deployment has few facts; an app that logs values this way would fill memory.
constexpr std::size_t kMostFacts = 1000;
// A file holds 65,535; the rest is for frame records and event streams.
constexpr std::size_t kMostChannels = 60'000;
constexpr std::size_t kMostValues = 2048;  // keeps their JSON below 64 KiB
// Bytes per channel: it is written twice, and a chunk and the summary each name it once more.
constexpr std::size_t kChannelCost = 600;

constexpr std::uint64_t kWatchPeriod = 1'000'000'000;
// a slewed clock gains at most half a millisecond a second
constexpr std::int64_t kJump = 1'000'000'000;

// The text that patterns are matched against.
std::string pattern_text(const Logged& logged) {
  const bool is_sketch =
      logged.stage == trace::Stage::kSketch || logged.stage == trace::Stage::kSketchSample;
  return is_sketch ? std::string(logged.name)
                   : std::string(trace::name(logged.stage)) + "/" + std::string(logged.name);
}

}  // namespace

Recorder::Recorder(const Options& o, trace::Writer w, const TimeSource* time)
    : options(o),
      clock(time),
      writer(std::move(w)),
      held(o.before),
      patterns_(o.include, o.exclude),
      budget_(o, clock.now_ns()),
      level_(static_cast<int>(o.level)) {}

const ChannelEntry* Recorder::look_up(const ChannelEntry* last, const Logged& logged, Marks& used,
                                      Error& why) {
  const auto known = channels_.find(
      last, logged, used, [&](const trace::Channel& channel) -> Result<trace::ChannelId> {
        if (logged.stage != trace::Stage::kSpan && !patterns_.wants(pattern_text(logged)))
          return trace::ChannelId{0};
        const std::size_t cost = kChannelCost + 2 * channel.spec.name.size();
        if (options.total_bytes) (void)has_room_for(cost);
        if (is_limited()) charge(cost, 0, clock.now_ns());
        if (channels_added_ >= kMostChannels)
          return Error{ErrorKind::kLimit,
                       "over " + std::to_string(kMostChannels) +
                           " tensors of different name, shape or quantisation were logged"};
        ++channels_added_;
        return writer.add_channel(channel);
      });
  if (known) return *known;
  why = known.error();
  (void)failed();
  return nullptr;
}

bool Recorder::failed() {
  if (writer.has_failed()) level_.store(static_cast<int>(Level::kOff), std::memory_order_relaxed);
  return false;
}

bool Recorder::write(const trace::FrameRecord& record, Error& why) {
  if (options.total_bytes && !has_room_for(cost_of(record))) return true;
  auto done = writer.frame(record);
  if (done) return true;
  why = std::move(done).error();
  return failed();
}

void Recorder::expect_frame(std::uint64_t frame_bytes) {
  std::uint64_t largest = largest_frame_.load(std::memory_order_relaxed);
  if (frame_bytes <= largest) return;
  while (frame_bytes > largest &&
         !largest_frame_.compare_exchange_weak(largest, frame_bytes, std::memory_order_relaxed)) {
  }
  writer.expect_frame(frame_bytes);
}

bool Recorder::takes_raw_frame() {
  return raw_frames_.load(std::memory_order_relaxed) < options.raw_frames &&
         raw_frames_.fetch_add(1, std::memory_order_relaxed) < options.raw_frames;
}

bool Recorder::takes_raw_bytes(std::size_t size) {
  if (options.raw == Raw::kAll || options.raw_bytes == 0) return true;
  std::uint64_t taken = raw_bytes_.load(std::memory_order_relaxed);
  do {
    if (taken + size > options.raw_bytes) return false;
  } while (!raw_bytes_.compare_exchange_weak(taken, taken + size, std::memory_order_relaxed));
  return true;
}

bool Recorder::has_room_for(std::size_t size) {
  const std::uint64_t all =
      total_bytes_.fetch_add(size, std::memory_order_relaxed) + size + writer.unseen_bytes();
  if (all <= options.total_bytes) return true;
  const Level from = level();
  if (from != Level::kOff)
    step_down(from, Level::kOff,
              "the recording has its " + bytes_text(static_cast<double>(options.total_bytes)));
  return false;
}

void Recorder::charge(std::uint64_t frame_bytes, std::uint64_t frame_time_ns, std::uint64_t now) {
  const Level from = level();
  if (from == Level::kOff) return;
  if (const auto reason = budget_.add(frame_bytes, frame_time_ns, now))
    step_down(from, static_cast<Level>(static_cast<int>(from) - 1), *reason);
}

void Recorder::watch_wall_clock(std::uint64_t now) {
  std::uint64_t due = next_watch_.load(std::memory_order_relaxed);
  if (now < due ||
      !next_watch_.compare_exchange_strong(due, now + kWatchPeriod, std::memory_order_relaxed))
    return;
  const std::int64_t ahead = clock.wall_ahead_ns(),
                     jump = ahead - wall_ahead_.exchange(ahead, std::memory_order_relaxed);
  if (jump > -kJump && jump < kJump) return;
  (void)mark("clock", "the wall clock jumped " +
                          edgeprobe::number(std::abs(static_cast<double>(jump)) * 1e-9) + " s " +
                          (jump > 0 ? "ahead" : "back") + "; the times of this trace did not");
}

void Recorder::step_down(Level from, Level to, const std::string& reason) {
  // Only one thread succeeds.
  int expected = static_cast<int>(from);
  if (!level_.compare_exchange_strong(expected, static_cast<int>(to), std::memory_order_relaxed))
    return;
  std::string json =
      "{\"from\":\"" + std::string(name(from)) + "\",\"to\":\"" + name(to) + "\",\"reason\":";
  trace::append_json_text(json, reason);
  (void)event("/level", std::move(json), /*is_last=*/true);
}

Status Recorder::describe(const std::string& key, const std::string& value) {
  return timed([&] { return add_fact(key, value); });
}

Status Recorder::add_fact(const std::string& key, const std::string& value) {
  const std::lock_guard lock(facts_mutex_);
  const auto at = facts_.find(key);
  if (at != facts_.end() && at->second == value) return {};
  if (at == facts_.end() && facts_.size() >= kMostFacts)
    return Error{ErrorKind::kLimit, "at most " + std::to_string(kMostFacts) +
                                        " facts describe a deployment; values belong into frames"};
  if (level() == Level::kOff) return {};
  const std::size_t cost = key.size() + value.size() + 2 * kMessageCost;
  if (options.total_bytes && !has_room_for(cost)) return {};
  if (is_limited()) charge(cost, 0, clock.now_ns());
  facts_[key] = value;
  return noted(writer.metadata("edgeprobe.run", {{key, value}}));
}

Status Recorder::mark(std::string_view name, std::string_view text) {
  return timed([&] { return add_mark(name, text); });
}

Status Recorder::add_mark(std::string_view name, std::string_view text) {
  std::string json = "{\"text\":";
  trace::append_json_text(json, trace::as_utf8(text));
  return event("/mark/" + trace::escape(name), std::move(json));
}

Status Recorder::sensor(std::string_view name, const double* values, std::size_t count,
                        std::string_view unit, std::uint64_t age_ns) {
  return timed([&] { return add_sensor(name, values, count, unit, age_ns); });
}

Status Recorder::add_sensor(std::string_view name, const double* values, std::size_t count,
                            std::string_view unit, std::uint64_t age_ns) {
  if (count > kMostValues)
    return Error{ErrorKind::kLimit, "sensor '" + sanitized(name, 60) +
                                        "': " + std::to_string(count) + " values, at most " +
                                        std::to_string(kMostValues) + " are recorded at a time"};
  for (std::size_t i = 0; i < count; ++i)
    if (!std::isfinite(values[i])) return add_absent(name, unit, "not a finite number");
  std::string json = "{\"values\":[";
  for (std::size_t i = 0; i < count; ++i) {
    if (i) json += ',';
    trace::append_json_number(json, values[i]);
  }
  json += "],\"unit\":";
  trace::append_json_text(json, trace::as_utf8(unit));
  return event("/sensor/" + trace::escape(name), std::move(json), /*is_last=*/false, age_ns);
}

Status Recorder::sensor_absent(std::string_view name, std::string_view unit,
                               std::string_view reason) {
  return timed([&] { return add_absent(name, unit, reason); });
}

Status Recorder::add_absent(std::string_view name, std::string_view unit, std::string_view reason) {
  std::string json = "{\"values\":null,\"reason\":";
  trace::append_json_text(json, trace::as_utf8(reason));
  json += ",\"unit\":";
  trace::append_json_text(json, trace::as_utf8(unit));
  return event("/sensor/" + trace::escape(name), std::move(json));
}

Status Recorder::event(const std::string& topic, std::string json, bool is_last,
                       std::uint64_t age_ns) {
  if (!is_last && level() == Level::kOff) return {};
  const std::uint64_t now = clock.now_ns();
  if (age_ns >= now)
    return Error{ErrorKind::kUsage,
                 "an age of " + std::to_string(age_ns) + " ns: that was before 1970"};
  if (const std::uint64_t begun = frames.load(std::memory_order_relaxed)) {
    json += ",\"frame\":";
    trace::append_json_number(json, begun - 1);
  }
  json += '}';
  const std::size_t cost = json.size() + kMessageCost;
  if (!is_last && options.total_bytes && !has_room_for(cost)) return {};
  if (!is_last && is_limited()) charge(cost, 0, now);
  return noted(writer.stream(topic, now - age_ns, json));
}

}  // namespace edgeprobe::probe
