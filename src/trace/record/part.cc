// SPDX-License-Identifier: Apache-2.0
#include "trace/record/part.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/text.h"
#include "trace/channel_text.h"
#include "trace/event_stream.h"
#include "trace/frame_json.h"
#include "trace/names.h"

namespace edgeprobe::trace {
namespace {

constexpr std::uint16_t kTensorSchema = 1, kFrameSchema = 2;

// channels besides that of the frame records, which is always reserved
constexpr std::uint32_t kMostOthers = 65'534;
constexpr std::size_t kMostEventStreams = 4096;

Error closed() { return {ErrorKind::kUsage, "the trace is closed already"}; }

}  // namespace

Status Part::open(std::optional<Part>& part, const Place& place, const WriterOptions& options,
                  const TimeSource& time) {
  auto ring = Ring::create({options.ring_bytes, options.ring_most, options.ring_slots});
  if (!ring)
    return place.title.empty() ? std::move(ring).error()
                               : std::move(ring).error().during(place.title);
  EP_TRY(auto sink, place.open());
  EP_TRY(auto file, ChunkFile::create(std::move(sink), "", place.spill_folder));
  auto done = file.add_schema(kTensorSchema, {"edgeprobe.Tensor", "", ""});
  if (done) done = file.add_metadata("edgeprobe.trace", {{"version", "1"}});
  if (!done) {
    file.discard();
    return done.error();
  }
  part.emplace(std::move(file), std::move(*ring), options, time);
  try {
    part->thread_ = std::thread([p = &*part] { p->work(); });
  } catch (const std::system_error& error) {
    part->file_.discard();
    (void)part->queue_.close();
    part.reset();
    return Error{ErrorKind::kLimit,
                 "cannot start the thread that writes the trace: " + std::string(error.what())};
  }
  return {};
}

Part::Part(ChunkFile file, std::unique_ptr<Ring> ring, const WriterOptions& options,
           const TimeSource& time)
    : flush_ms_(std::clamp(options.flush_ms, 1, 86'400'000)),
      time_(time),
      file_(std::move(file)),
      queue_(std::move(ring), options, alarm_, time) {}

Part::~Part() { (void)close(); }

void Part::drain(bool all) {
  if (all) file_.put_records();
  while (queue_.take(all, run_, entries_)) {
    (void)file_.add_chunk(run_.parts, entries_);
    queue_.release(run_);
  }
}

void Part::work() {
  constexpr std::chrono::hours kLong{24};
  auto wake_at = time_.now() + kLong, flush_at = wake_at;
  bool is_idle = true;
  for (Alarm::Call call; !call.stop;) {
    call = alarm_.wait_for(wake_at - time_.now());
    auto now = time_.now();
    if (is_idle) flush_at = now + flush_ms_;
    // A caller that waits for long rings several times. Once it has what it waited for, a late call
    // would only cut a chunk short.
    const bool all = call.stop || (call.all && queue_.is_awaited()) || now >= flush_at;
    drain(all);
    now = time_.now();
    if (all) flush_at = now + flush_ms_;
    const auto nap = queue_.nap(now);
    is_idle = !nap;
    wake_at = nap ? std::min(now + *nap, flush_at) : now + kLong;
  }
}

Status Part::add_record(FileEnd::Record record) {
  auto done = file_.add_record(std::move(record));
  if (done) queue_.rouse();
  return done;
}

Result<ChannelId> Part::add_channel(std::optional<std::size_t> size, const std::string& topic,
                                    const std::function<FileEnd::Record(ChannelId)>& record) {
  if (file_.has_failed()) return file_.failure();
  if (topic != kFrameTopic && others_.fetch_add(1, std::memory_order_relaxed) >= kMostOthers) {
    others_.store(kMostOthers, std::memory_order_relaxed);
    return Error{ErrorKind::kLimit, "a trace holds at most " + std::to_string(kMostOthers) +
                                        " channels besides its frames' records"};
  }
  const auto id = queue_.add_channel(size, topic);
  if (!id) return id;
  EP_CHECK(add_record(record(*id)));
  return id;
}

Result<ChannelId> Part::add_channel(const Channel& channel) {
  if (auto error = unwritable(channel)) return *error;
  const std::string topic = topic_of(channel);
  return add_channel(message_size(channel), topic, [&](ChannelId id) {
    return [id, topic, metadata = metadata_of(channel)](ChunkFile& file) {
      return file.add_channel(id, kTensorSchema, topic, kTensorEncoding, metadata);
    };
  });
}

Result<ChannelId> Part::channel_of_frames() {
  if (const ChannelId id = frame_channel_.load(std::memory_order_acquire)) return id;
  const std::lock_guard lock(mutex_);
  if (const ChannelId id = frame_channel_.load(std::memory_order_acquire)) return id;
  const auto id = add_channel(std::nullopt, std::string(kFrameTopic), [](ChannelId channel) {
    return [channel](ChunkFile& out) {
      auto done = out.add_schema(kFrameSchema, {"edgeprobe.Frame", "jsonschema", frame_schema()});
      return done ? out.add_channel(channel, kFrameSchema, kFrameTopic, kFrameEncoding, {}) : done;
    };
  });
  if (id) frame_channel_.store(*id, std::memory_order_release);
  return id;
}

Status Part::metadata(const std::string& name, const std::map<std::string, std::string>& values) {
  std::map<std::string, std::string> clean;
  for (const auto& [key, value] : values)
    if (key != "crc32") clean[as_utf8(key)] = as_utf8(value);
  return add_record([name = as_utf8(name), clean = std::move(clean)](ChunkFile& file) {
    return file.add_metadata(name, clean);
  });
}

Status Part::write(const Message& message) {
  Error why;
  if (write(message, why)) return {};
  return why;
}

// Writes a message that the queue can never hold as its own chunk, on the caller's thread.
bool Part::write_directly(const Message& message, Error& why) {
  std::byte head[MessageQueue::kHead];
  MessageQueue::write_head(head, message);
  std::vector<ByteView> parts{{head, sizeof head}};
  for (std::size_t i = 0; i < message.values.count; ++i) parts.push_back(message.values.row(i));
  auto done = file_.add_chunk(parts, {{message.channel, message.frame, message.time_ns, 0}});
  if (done) return true;
  why = std::move(done).error();
  return false;
}

Status Part::frame(const FrameRecord& record) {
  EP_TRY(const auto channel, channel_of_frames());
  if (record.annotation && (record.annotation->value.size() > kLongestAnnotation ||
                            record.annotation->kind.size() > kLongestKind))
    return Error{ErrorKind::kLimit,
                 "the annotation of frame " + std::to_string(record.frame) + " ('" +
                     sanitized(record.annotation->kind, 60) + "') takes " +
                     std::to_string(record.annotation->value.size()) + " bytes, at most " +
                     std::to_string(kLongestAnnotation) + " are written"};
  const FrameJson json(record, record.dropped + queue_.dropped_of(record.frame));
  if (json.text().size() > kLongestFrameJson)
    return Error{ErrorKind::kLimit, "the record of frame " + std::to_string(record.frame) + " ('" +
                                        sanitized(record.sample, 60) + "') takes " +
                                        std::to_string(json.text().size()) + " bytes, at most " +
                                        std::to_string(kLongestFrameJson) + " are written"};
  return write({channel, Kind::kFrameRecord, record.frame, record.time_ns, view_of(json.text())});
}

Status Part::stream(const std::string& topic, std::uint64_t time_ns, const std::string& json) {
  const auto kind = event_stream_from(topic, kFrameEncoding);
  if (!kind)
    return Error{ErrorKind::kUsage, "'" + sanitized(topic) + "' is not the topic of a series"};
  if (topic.size() > kLongestTopic || json.size() > kLongestFrameJson)
    return Error{ErrorKind::kLimit, "an event of '" + sanitized(topic, 60) + "' takes " +
                                        std::to_string(json.size()) + " bytes, its topic " +
                                        std::to_string(topic.size()) + "; at most " +
                                        std::to_string(kLongestFrameJson) + " and " +
                                        std::to_string(kLongestTopic) + " are written"};
  EventChannel channel;
  {
    const std::lock_guard lock(mutex_);
    auto at = event_streams_.find(topic);
    if (at == event_streams_.end()) {
      if (event_streams_.size() >= kMostEventStreams && kind->kind != EventStreamKind::kLevel)
        return Error{
            ErrorKind::kLimit,
            "'" + sanitized(topic, 60) + "' is new, and the trace has " +
                std::to_string(kMostEventStreams) +
                " series; names of sensors and marks are few, what changes is their value or text"};
      const auto id = add_channel(std::nullopt, topic, [&](ChannelId made) {
        return [made, topic](ChunkFile& file) {
          return file.add_channel(made, 0, topic, kFrameEncoding, {});
        };
      });
      if (!id) return id.error();
      at = event_streams_.emplace(topic, EventChannel{*id, 0}).first;
      event_bytes_.fetch_add(channel_bytes(topic, {}), std::memory_order_relaxed);
    }
    channel = at->second;
    ++at->second.messages;
  }
  return write({channel.id, Kind::kEvent, channel.messages, time_ns, view_of(json)});
}

Status Part::flush() {
  if (!queue_.wait_until_taken()) return closed();
  file_.put_records();
  return file_.status();
}

Result<WriterStatistics> Part::close() {
  if (!queue_.close()) return closed();
  alarm_.stop();
  thread_.join();
  // A concurrent write() commits within a moment.
  do drain(true);
  while (!queue_.is_empty());
  const WriterStatistics statistics = queue_.statistics();
  std::map<std::string, std::string> dropped;
  if (statistics.dropped_messages)
    dropped = {{"frames", std::to_string(statistics.dropped_frames)},
               {"messages", std::to_string(statistics.dropped_messages)}};
  EP_CHECK(file_.finish(dropped));
  return statistics;
}

}  // namespace edgeprobe::trace
