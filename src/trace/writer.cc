// SPDX-License-Identifier: Apache-2.0
#include "trace/writer.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "core/text.h"
#include "trace/alarm.h"
#include "trace/channel_text.h"
#include "trace/file_end.h"
#include "trace/frame_json.h"
#include "trace/message_queue.h"
#include "trace/names.h"
#include "trace/series_topic.h"

namespace edgeprobe::trace {
namespace {

using Kind = MessageQueue::Kind;
using Message = MessageQueue::Message;

constexpr std::uint16_t kTensorSchema = 1, kFrameSchema = 2;

// channels beside that of the frames' records, which always has its place
constexpr std::uint32_t kMostOthers = 65'534;
constexpr std::size_t kMostSeries = 4096;

Error closed() { return {Fault::kUsage, "the trace is closed already"}; }

}  // namespace

struct Writer::State {
  struct SeriesChannel {
    ChannelId id = 0;
    std::uint32_t messages = 0;
  };

  State(ChunkFile f, std::unique_ptr<Ring> ring, const WriterOptions& options)
      : flush_ms(std::clamp(options.flush_ms, 1, 86'400'000)),
        file(std::move(f)),
        queue(std::move(ring), options, alarm) {}

  const std::chrono::milliseconds flush_ms;
  Alarm alarm;
  FileEnd file;
  MessageQueue queue;
  std::thread thread;

  // Channels that come with their first message.
  std::mutex mutex;
  std::map<std::string, SeriesChannel> series;
  std::atomic<std::uint64_t> series_bytes{0};
  std::atomic<ChannelId> frame_channel{0};
  std::atomic<std::uint32_t> others{0};

  // What the thread uses.
  Ring::Run run;
  std::vector<ChunkEntry> entries;

  void drain(bool all) {
    if (all) file.put_records();
    while (queue.take(all, run, entries)) {
      (void)file.add_chunk(run.parts, entries);
      queue.release(run);
    }
  }

  void work() {
    constexpr std::chrono::hours kLong{24};
    auto wake_at = Alarm::Clock::now() + kLong, flush_at = wake_at;
    bool is_idle = true;
    for (Alarm::Call call; !call.stop;) {
      call = alarm.wait_until(wake_at);
      auto now = Alarm::Clock::now();
      if (is_idle) flush_at = now + flush_ms;
      const bool all = call.all || now >= flush_at;
      drain(all);
      now = Alarm::Clock::now();
      if (all) flush_at = now + flush_ms;
      const auto nap = queue.nap(now);
      is_idle = !nap;
      wake_at = nap ? std::min(now + *nap, flush_at) : now + kLong;
    }
  }

  Status add_record(FileEnd::Record record) {
    auto done = file.add_record(std::move(record));
    if (done) queue.rouse();
    return done;
  }

  Result<ChannelId> add_channel(std::optional<std::size_t> size, const std::string& topic,
                                const std::function<FileEnd::Record(ChannelId)>& record) {
    if (file.has_failed()) return file.failure();
    if (topic != kFrameTopic && others.fetch_add(1, std::memory_order_relaxed) >= kMostOthers) {
      others.store(kMostOthers, std::memory_order_relaxed);
      return Error{Fault::kLimit, "a trace holds at most " + std::to_string(kMostOthers) +
                                      " channels beside its frames' records"};
    }
    const auto id = queue.add_channel(size, topic);
    if (!id) return id;
    auto done = add_record(record(*id));
    if (!done) return done.error();
    return id;
  }

  Result<ChannelId> channel_of_frames() {
    if (const ChannelId id = frame_channel.load(std::memory_order_acquire)) return id;
    const std::lock_guard lock(mutex);
    if (const ChannelId id = frame_channel.load(std::memory_order_acquire)) return id;
    const auto id = add_channel(std::nullopt, std::string(kFrameTopic), [](ChannelId channel) {
      return [channel](ChunkFile& out) {
        auto done = out.add_schema(kFrameSchema, {"edgeprobe.Frame", "jsonschema", frame_schema()});
        return done ? out.add_channel(channel, kFrameSchema, kFrameTopic, kFrameEncoding, {})
                    : done;
      };
    });
    if (id) frame_channel.store(*id, std::memory_order_release);
    return id;
  }

  [[gnu::always_inline]] bool write(const Message& message, Error& why) {
    if (file.has_failed()) {
      why = file.failure();
      return false;
    }
    const MessageQueue::Outcome outcome = queue.push(message, why);
    if (outcome == MessageQueue::Outcome::kTooLarge) return write_directly(message, why);
    return outcome == MessageQueue::Outcome::kDone;
  }
  Status write(const Message& message) {
    Error why;
    if (write(message, why)) return {};
    return why;
  }

  // A message that the queue can never hold: its own chunk, written by the caller.
  bool write_directly(const Message& message, Error& why) {
    std::byte head[MessageQueue::kHead];
    MessageQueue::write_head(head, message);
    std::vector<ByteView> parts{{head, sizeof head}};
    for (std::size_t i = 0; i < message.values.count; ++i) parts.push_back(message.values.row(i));
    auto done = file.add_chunk(parts, {{message.channel, message.frame, message.time_ns, 0}});
    if (done) return true;
    why = std::move(done).error();
    return false;
  }
};

Result<Writer> Writer::open(const std::filesystem::path& path, const WriterOptions& options,
                            bool replace) {
  auto ring = Ring::create({options.ring_bytes, options.ring_most, options.ring_slots});
  if (!ring) return std::move(ring).error().during("'" + printable(path.string()) + "'");
  auto file = ChunkFile::create(path, replace);
  if (!file) return file.error();
  if (options.most_bytes) file->reserve_at_most(options.most_bytes);
  auto done = file->add_schema(kTensorSchema, {"edgeprobe.Tensor", "", ""});
  if (done) done = file->add_metadata("edgeprobe.trace", {{"version", "1"}});
  if (!done) {
    file->discard();
    return done.error();
  }
  auto state = std::make_unique<State>(std::move(*file), std::move(*ring), options);
  try {
    state->thread = std::thread([s = state.get()] { s->work(); });
  } catch (const std::system_error& error) {
    state->file.discard();
    return Error{Fault::kLimit,
                 "cannot start the thread that writes the trace: " + std::string(error.what())};
  }
  return Writer(std::move(state));
}

Writer::Writer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Writer::Writer(Writer&&) noexcept = default;

Writer& Writer::operator=(Writer&& other) noexcept {
  if (this != &other) {
    if (state_) (void)close();
    state_ = std::move(other.state_);
  }
  return *this;
}

Writer::~Writer() {
  if (state_) (void)close();
}

Result<ChannelId> Writer::add_channel(const Channel& channel) {
  if (auto error = unwritable(channel)) return *error;
  const std::string topic = topic_of(channel);
  return state_->add_channel(message_size(channel), topic, [&](ChannelId id) {
    return [id, topic, metadata = metadata_of(channel)](ChunkFile& file) {
      return file.add_channel(id, kTensorSchema, topic, kTensorEncoding, metadata);
    };
  });
}

Status Writer::metadata(const std::string& name, const std::map<std::string, std::string>& values) {
  std::map<std::string, std::string> clean;
  for (const auto& [key, value] : values)
    if (key != "crc32") clean[as_utf8(key)] = as_utf8(value);
  return state_->add_record([name = as_utf8(name), clean = std::move(clean)](ChunkFile& file) {
    return file.add_metadata(name, clean);
  });
}

Status Writer::write(ChannelId channel, std::uint32_t frame, std::uint64_t time_ns,
                     const Rows& values) {
  return state_->write({channel, Kind::kTensor, frame, time_ns, values});
}

bool Writer::put(ChannelId channel, std::uint32_t frame, std::uint64_t time_ns, const Rows& values,
                 Error& why) {
  return state_->write({channel, Kind::kTensor, frame, time_ns, values}, why);
}

void Writer::expect_frame(std::uint64_t bytes) { state_->queue.expect_frame(bytes); }

Status Writer::frame(const FrameRecord& record) {
  const auto channel = state_->channel_of_frames();
  if (!channel) return channel.error();
  const FrameJson json(record, record.dropped + state_->queue.dropped_of(record.frame));
  if (json.text().size() > kLongestFrameJson)
    return Error{Fault::kLimit, "the record of frame " + std::to_string(record.frame) + " ('" +
                                    printable(record.sample, 60) + "') takes " +
                                    std::to_string(json.text().size()) + " bytes, at most " +
                                    std::to_string(kLongestFrameJson) + " are written"};
  return state_->write(
      {*channel, Kind::kFrameRecord, record.frame, record.time_ns, view_of(json.text())});
}

Status Writer::series(const std::string& topic, std::uint64_t time_ns, const std::string& json) {
  State& s = *state_;
  const auto kind = series_from(topic, kFrameEncoding);
  if (!kind) return Error{Fault::kUsage, "'" + printable(topic) + "' is no topic of a series"};
  if (topic.size() > kLongestTopic || json.size() > kLongestFrameJson)
    return Error{Fault::kLimit, "a moment of '" + printable(topic, 60) + "' takes " +
                                    std::to_string(json.size()) + " bytes, its topic " +
                                    std::to_string(topic.size()) + "; at most " +
                                    std::to_string(kLongestFrameJson) + " and " +
                                    std::to_string(kLongestTopic) + " are written"};
  State::SeriesChannel channel;
  {
    const std::lock_guard lock(s.mutex);
    auto at = s.series.find(topic);
    if (at == s.series.end()) {
      if (s.series.size() >= kMostSeries && kind->kind != SeriesKind::kLevel)
        return Error{
            Fault::kLimit,
            "'" + printable(topic, 60) + "' is new, and the trace has " +
                std::to_string(kMostSeries) +
                " series; names of sensors and marks are few, what changes is their value or text"};
      const auto id = s.add_channel(std::nullopt, topic, [&](ChannelId made) {
        return [made, topic](ChunkFile& file) {
          return file.add_channel(made, 0, topic, kFrameEncoding, {});
        };
      });
      if (!id) return id.error();
      at = s.series.emplace(topic, State::SeriesChannel{*id, 0}).first;
      s.series_bytes.fetch_add(channel_bytes(topic, {}), std::memory_order_relaxed);
    }
    channel = at->second;
    ++at->second.messages;
  }
  return s.write({channel.id, Kind::kMoment, channel.messages, time_ns, view_of(json)});
}

Status Writer::flush() {
  if (!state_->queue.wait_until_taken()) return closed();
  state_->file.put_records();
  return state_->file.status();
}

bool Writer::has_failed() const { return state_->file.has_failed(); }

WriterStatistics Writer::statistics() const { return state_->queue.statistics(); }

std::uint64_t Writer::series_bytes() const {
  return state_->series_bytes.load(std::memory_order_relaxed);
}

Result<WriterStatistics> Writer::close() {
  State& s = *state_;
  if (!s.queue.close()) return closed();
  s.alarm.stop();
  s.thread.join();
  // A write() that was under way in another thread commits within moments.
  do s.drain(true);
  while (!s.queue.is_empty());
  const WriterStatistics statistics = s.queue.statistics();
  std::map<std::string, std::string> dropped;
  if (statistics.dropped_messages)
    dropped = {{"frames", std::to_string(statistics.dropped_frames)},
               {"messages", std::to_string(statistics.dropped_messages)}};
  if (auto done = s.file.finish(dropped); !done) return done.error();
  return statistics;
}

}  // namespace edgeprobe::trace
