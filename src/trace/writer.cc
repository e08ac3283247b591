#include "trace/writer.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "core/text.h"
#include "trace/channel_text.h"
#include "trace/chunk_file.h"
#include "trace/frame_json.h"
#include "trace/mcap.h"
#include "trace/names.h"
#include "trace/ring.h"
#include "trace/series_topic.h"
#include "trace/stream_copy.h"

namespace edgeprobe::trace {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kHead = mcap::kRecordHead + mcap::kMessageHead;
constexpr std::uint16_t kTensorSchema = 1, kFrameSchema = 2;
constexpr std::size_t kMostChannels = 65535;
constexpr std::size_t kMostMessages = 4096;  // in a chunk: their index takes 16 bytes each, in memory too
constexpr std::size_t kMostAskedFor = 2048;
constexpr std::size_t kMostDropping = 64;  // frames that are being dropped at one time

using MessageHead = std::array<std::byte, kHead>;

MessageHead message_start(ChannelId channel, std::uint32_t frame, std::uint64_t time_ns, std::size_t data_size) {
  MessageHead head;
  const std::uint64_t length = mcap::kMessageHead + data_size;
  head[0] = static_cast<std::byte>(mcap::Op::kMessage);
  std::memcpy(&head[1], &length, 8);
  std::memcpy(&head[9], &channel, 2);
  std::memcpy(&head[11], &frame, 4);
  std::memcpy(&head[15], &time_ns, 8);
  std::memcpy(&head[23], &time_ns, 8);
  return head;
}

// Asks for the memory that the next record will lie in: the thread that writes the file has read it, so another processor
// holds it, and a copy of a kilobyte would wait for each of its lines.
void ask_for(std::byte* at, std::size_t size) {
  for (std::size_t i = 0; i < size; i += 64) {
#if defined(__x86_64__)
    asm volatile("prefetchw %0" : : "m"(at[i]));
#else
    __builtin_prefetch(at + i, 1);
#endif
  }
}

Error closed() { return {Fault::kUsage, "the trace is closed already"}; }

}  // namespace

struct Writer::State {
  enum class What { kTensor, kRecord, kMoment };
  struct Known {
    std::optional<std::size_t> size;  // of every message; nothing: any
    std::string topic;
  };
  struct SeriesChannel {
    ChannelId id = 0;
    std::uint32_t messages = 0;
  };
  // Records that belong before the next chunk.
  using Record = std::function<Status(ChunkFile&)>;
  struct Dropping {
    std::uint32_t frame;
    std::uint64_t messages;
  };

  State(ChunkFile f, std::unique_ptr<Ring> r, const WriterOptions& o)
      : options(o), file(std::move(f)), ring(std::move(r)) {
    // A chunk larger than half the ring would let producers and consumer only take turns.
    chunk_bytes = std::clamp<std::size_t>(options.chunk_bytes, 1, ring->capacity() / 2);
    chunk_messages = std::min<std::size_t>(kMostMessages, ring->slots() / 4);
    ring_limit = ring->capacity();
  }

  WriterOptions options;
  std::size_t chunk_bytes, chunk_messages;

  // The file: the background thread, channels, metadata and very large tensors take turns.
  std::mutex file_mutex;
  ChunkFile file;
  std::vector<ChunkEntry> entries;
  Ring::Run run;

  // Producers.
  std::mutex mutex;
  std::unique_ptr<Ring> ring;
  std::size_t ring_limit;
  std::vector<Known> channels;  // by id - 1
  std::vector<Record> records;
  std::map<std::string, SeriesChannel> series;
  std::optional<ChannelId> frame_channel;
  std::vector<Dropping> dropping;
  WriterStatistics statistics;
  std::optional<std::uint32_t> last_frame;
  bool is_closed = false;
  bool may_wait = true;
  int waiting = 0;
  std::condition_variable space;

  // The first failure of the file; once set, nothing is written any more.
  std::atomic<bool> failed{false};
  Error failure;  // guarded by file_mutex

  // Waking the background thread.
  std::mutex wake_mutex;
  std::condition_variable wake_up;
  std::atomic<bool> woken{false};
  bool stopping = false, drain_all = false;  // guarded by wake_mutex
  std::thread thread;

  Error first_failure() {
    const std::lock_guard lock(file_mutex);
    return failure;
  }

  // Under file_mutex.
  Status note(Status status) {
    if (!status && !failed.load(std::memory_order_relaxed)) {
      failure = status.error();
      failed.store(true, std::memory_order_release);
    }
    return status;
  }

  void wake(bool all) {
    {
      const std::lock_guard lock(wake_mutex);
      woken.store(true, std::memory_order_relaxed);
      drain_all |= all;
    }
    wake_up.notify_one();
  }

  // Channels and metadata, in the order in which they were given. Those of a message that is ready are among them: they came first.
  void put_records() {
    // The file's lock comes first: a chunk of another thread must not pass the records that it needs.
    const std::lock_guard lock(file_mutex);
    std::vector<Record> taken;
    {
      const std::lock_guard producers(mutex);
      taken.swap(records);
    }
    for (const Record& record : taken)
      if (!failed.load(std::memory_order_acquire)) (void)note(record(file));
  }

  // Writes what is committed: whole chunks only, or also the open one.
  void drain(bool all) {
    if (all) put_records();
    while (true) {
      ring->ready_run(chunk_bytes, chunk_messages, run);
      if (run.slots == 0 || (!all && run.bytes < chunk_bytes && run.slots < chunk_messages)) return;
      put_records();
      if (!failed.load(std::memory_order_acquire)) {
        const std::lock_guard lock(file_mutex);
        entries.clear();
        const std::uint64_t start = ring->slot(0).offset;
        for (std::size_t i = 0; i < run.slots; ++i) {
          const Ring::Slot& slot = ring->slot(i);
          entries.push_back({slot.channel, slot.frame, slot.time_ns, slot.offset - start});
        }
        (void)note(file.add_chunk(run.parts, entries));
      }
      ring->clear(run);
      const std::lock_guard lock(mutex);
      ring->release(run);
      may_wait |= ring->pending_bytes(ring->reserved_until()) <= ring->capacity() / 2;
      if (waiting) space.notify_all();
    }
  }

  void work() {
    const auto period = std::chrono::milliseconds(std::max(1, options.flush_ms));
    auto deadline = Clock::now() + period;
    while (true) {
      bool all, stop;
      {
        std::unique_lock lock(wake_mutex);
        wake_up.wait_until(lock, deadline, [&] { return woken.load(std::memory_order_relaxed) || stopping; });
        woken.store(false, std::memory_order_relaxed);
        stop = stopping;
        all = std::exchange(drain_all, false) || stop;
      }
      if (Clock::now() >= deadline) {
        all = true;
        deadline = Clock::now() + period;
      }
      drain(all);
      if (stop) return;
    }
  }

  Result<ChannelId> next_id() const {  // under mutex
    if (channels.size() >= kMostChannels)
      return Error{Fault::kLimit, "a trace holds at most " + std::to_string(kMostChannels) + " channels"};
    return static_cast<ChannelId>(channels.size() + 1);
  }

  // True when the message must go because its frame is being dropped; under mutex.
  bool drop(What what, std::uint32_t frame, std::size_t size, bool has_room) {
    auto at = std::find_if(dropping.begin(), dropping.end(), [&](const Dropping& d) { return d.frame == frame; });
    if (at == dropping.end()) {
      if (has_room) return false;
      if (dropping.size() >= kMostDropping) dropping.erase(dropping.begin());
      dropping.push_back({frame, 0});
      at = dropping.end() - 1;
      ++statistics.dropped_frames;
    }
    ++at->messages;
    ++statistics.dropped_messages;
    if (what == What::kTensor) {
      ++statistics.dropped_tensors;
      statistics.dropped_bytes += size;
    }
    return true;
  }

  // A message for which there is no room; under mutex. A record is small and says what was dropped: it goes in whenever it can.
  bool lose(What what, std::uint32_t frame, std::size_t size) {
    if (what != What::kMoment) return drop(what, frame, size, false);
    ++statistics.dropped_messages;
    return true;
  }

  void count(What what, std::uint32_t frame, std::size_t bytes) {  // under mutex
    ++statistics.messages;
    statistics.bytes += bytes;
    if (what == What::kMoment) return;
    if (last_frame != frame) ++statistics.frames;
    last_frame = frame;
  }

  // A message that the ring can never hold: its own chunk, written by the caller.
  Status write_directly(ChannelId channel, std::uint32_t frame, std::uint64_t time_ns, const Rows& values) {
    put_records();
    const MessageHead head = message_start(channel, frame, time_ns, values.size());
    std::vector<ByteView> parts{{head.data(), head.size()}};
    for (std::size_t i = 0; i < values.count; ++i) parts.push_back(values.row(i));
    const std::lock_guard lock(file_mutex);
    if (failed.load(std::memory_order_relaxed)) return failure;
    return note(file.add_chunk(parts, {{channel, frame, time_ns, 0}}));
  }

  bool write(ChannelId channel, std::uint32_t frame, std::uint64_t time_ns, const Rows& values, What what, Error& why);
  Status write(ChannelId channel, std::uint32_t frame, std::uint64_t time_ns, const Rows& values, What what) {
    Error why;
    if (write(channel, frame, time_ns, values, what, why)) return {};
    return why;
  }
  bool make_room(std::unique_lock<std::mutex>& lock, std::size_t length);
};

// Whether the record fits, after a short wait if need be.
bool Writer::State::make_room(std::unique_lock<std::mutex>& lock, std::size_t length) {
  const auto has_room = [&] { return ring->fits(length) || ring->grow(length, ring_limit); };
  if (has_room()) return true;
  if (length > ring_limit || options.longest_wait.count() == 0 || !may_wait || failed.load(std::memory_order_relaxed)) return false;
  ++waiting;
  lock.unlock();
  wake(true);
  lock.lock();
  const bool came = space.wait_for(lock, options.longest_wait, has_room);
  --waiting;
  // A disk that stands still is waited for once, not at every call.
  if (!came) may_wait = false;
  return came && !is_closed;
}


bool Writer::State::write(ChannelId channel, std::uint32_t frame, std::uint64_t time_ns, const Rows& values, What what, Error& why) {
  const auto fail = [&](Error error) {
    why = std::move(error);
    return false;
  };
  if (failed.load(std::memory_order_relaxed)) return fail(first_failure());
  const std::size_t size = values.size(), length = kHead + size;
  Ring::Slot* slot = nullptr;
  bool wake_now = false;
  {
    std::unique_lock lock(mutex);
    if (is_closed) return fail(closed());
    if (channel == 0 || channel > channels.size())
      return fail({Fault::kUsage, "channel " + std::to_string(channel) + " was not added to this trace"});
    const Known& known = channels[channel - std::size_t{1}];
    if (known.size && *known.size != size)
      return fail({Fault::kUsage, "'" + printable(known.topic) + "', frame " + std::to_string(frame) + ": " + std::to_string(size) +
                                      " bytes, expected " + std::to_string(*known.size)});
    const bool drops = options.when_full == WhenFull::kDropFrame;
    if (length <= std::max(ring->capacity(), ring_limit) || (drops && options.ring_most)) {
      if (drops) {
        if (what == What::kTensor && !dropping.empty() && drop(what, frame, size, /*has_room=*/true)) return true;
        if (!ring->fits(length) && !make_room(lock, length)) return lose(what, frame, size);
      } else if (!ring->fits(length) && !ring->grow(length, ring_limit)) {
        ++waiting;
        while (!ring->fits(length)) {
          lock.unlock();
          wake(true);
          lock.lock();
          // The time limit only guards against a wake-up that comes between the two lines above.
          space.wait_for(lock, std::chrono::milliseconds(20), [&] { return ring->fits(length); });
        }
        --waiting;
        if (is_closed) return fail(closed());
      }
      slot = ring->reserve(length, channel, frame, time_ns);
      wake_now = ring->pending_bytes(slot->offset + length) >= chunk_bytes || ring->pending_slots() >= chunk_messages;
    } else if (what == What::kTensor && !dropping.empty() && drop(what, frame, size, /*has_room=*/true)) {
      return true;
    }
    count(what, frame, size);
  }
  if (!slot) {
    auto done = write_directly(channel, frame, time_ns, values);
    return done ? true : fail(std::move(done).error());
  }
  const MessageHead head = message_start(channel, frame, time_ns, size);
  if (std::byte* const at = ring->place(*slot); at && values.count == 1) {
    std::memcpy(at, head.data(), head.size());
    stream_copy(at + head.size(), values.data, size);
    if (size < kMostAskedFor) ask_for(at + length, length);
  } else {
    ring->put(slot->offset, head.data(), head.size());
    for (std::size_t i = 0; i < values.count; ++i)
      ring->put(slot->offset + head.size() + i * values.row_bytes, values.row(i).data, values.row_bytes);
  }
  ring->commit(slot);
  if (wake_now && !woken.load(std::memory_order_relaxed)) wake(false);
  return true;
}

Result<Writer> Writer::open(const std::filesystem::path& path, const WriterOptions& options, bool replace) {
  auto ring = Ring::create({options.ring_bytes, options.ring_most, options.ring_slots});
  if (!ring) return std::move(ring).error().during("'" + printable(path.string()) + "'");
  auto file = ChunkFile::create(path, replace);
  if (!file) return file.error();
  auto state = std::make_unique<State>(std::move(*file), std::move(*ring), options);
  auto done = state->file.add_schema(kTensorSchema, {"edgeprobe.Tensor", "", ""});
  if (done) done = state->file.add_metadata("edgeprobe.trace", {{"version", "1"}});
  if (!done) {
    state->file.discard();
    return done.error();
  }
  try {
    state->thread = std::thread([s = state.get()] { s->work(); });
  } catch (const std::system_error& error) {
    state->file.discard();
    return Error{Fault::kLimit, "cannot start the thread that writes the trace: " + std::string(error.what())};
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
  State& s = *state_;
  if (auto error = unwritable(channel)) return *error;
  if (s.failed.load(std::memory_order_relaxed)) return s.first_failure();
  const std::string topic = topic_of(channel);
  const std::lock_guard lock(s.mutex);
  if (s.is_closed) return closed();
  const auto id = s.next_id();
  if (!id) return id;
  s.records.push_back([id = *id, topic, metadata = metadata_of(channel)](ChunkFile& file) {
    return file.add_channel(id, kTensorSchema, topic, kTensorEncoding, metadata);
  });
  s.channels.push_back({message_size(channel), topic});
  return id;
}

Status Writer::metadata(const std::string& name, const std::map<std::string, std::string>& values) {
  State& s = *state_;
  std::map<std::string, std::string> clean;
  for (const auto& [key, value] : values)
    if (key != "crc32") clean[as_utf8(key)] = as_utf8(value);
  if (s.failed.load(std::memory_order_relaxed)) return s.first_failure();
  const std::lock_guard lock(s.mutex);
  if (s.is_closed) return closed();
  s.records.push_back([name = as_utf8(name), clean = std::move(clean)](ChunkFile& file) { return file.add_metadata(name, clean); });
  return {};
}

Status Writer::write(ChannelId channel, std::uint32_t frame, std::uint64_t time_ns, const Rows& values) {
  return state_->write(channel, frame, time_ns, values, State::What::kTensor);
}

WriterStatistics Writer::statistics() const {
  const std::lock_guard lock(state_->mutex);
  return state_->statistics;
}

bool Writer::put(ChannelId channel, std::uint32_t frame, std::uint64_t time_ns, const Rows& values, Error& why) {
  return state_->write(channel, frame, time_ns, values, State::What::kTensor, why);
}

void Writer::expect_frame(std::uint64_t bytes) {
  State& s = *state_;
  const std::lock_guard lock(s.mutex);
  const std::uint64_t limit = std::min<std::uint64_t>(s.options.ring_most, s.options.ring_bytes + bytes);
  s.ring_limit = std::max(s.ring_limit, static_cast<std::size_t>(limit));
}

Status Writer::frame(const FrameRecord& record) {
  State& s = *state_;
  std::uint64_t dropped = record.dropped;
  ChannelId channel;
  {
    const std::lock_guard lock(s.mutex);
    if (s.is_closed) return closed();
    if (!s.frame_channel) {
      const auto id = s.next_id();
      if (!id) return id.error();
      s.records.push_back([id = *id](ChunkFile& file) {
        auto done = file.add_schema(kFrameSchema, {"edgeprobe.Frame", "jsonschema", frame_schema()});
        return done ? file.add_channel(id, kFrameSchema, kFrameTopic, kFrameEncoding, {}) : done;
      });
      s.channels.push_back({std::nullopt, std::string(kFrameTopic)});
      s.frame_channel = *id;
    }
    channel = *s.frame_channel;
    for (const auto& d : s.dropping)
      if (d.frame == record.frame) dropped += d.messages;
  }
  const std::string json = frame_json(record, dropped);
  if (json.size() > kLongestFrameJson)
    return Error{Fault::kLimit, "the record of frame " + std::to_string(record.frame) + " ('" +
                                    printable(record.sample, 60) + "') takes " + std::to_string(json.size()) +
                                    " bytes, at most " + std::to_string(kLongestFrameJson) + " are written"};
  return s.write(channel, record.frame, record.time_ns, view_of(json), State::What::kRecord);
}

Status Writer::series(const std::string& topic, std::uint64_t time_ns, const std::string& json) {
  State& s = *state_;
  if (!series_from(topic, kFrameEncoding)) return Error{Fault::kUsage, "'" + printable(topic) + "' is no topic of a series"};
  if (topic.size() > kLongestTopic || json.size() > kLongestFrameJson)
    return Error{Fault::kLimit, "a moment of '" + printable(topic, 60) + "' takes " + std::to_string(json.size()) + " bytes, its topic " +
                                    std::to_string(topic.size()) + "; at most " + std::to_string(kLongestFrameJson) + " and " +
                                    std::to_string(kLongestTopic) + " are written"};
  State::SeriesChannel channel;
  {
    const std::lock_guard lock(s.mutex);
    if (s.is_closed) return closed();
    auto at = s.series.find(topic);
    if (at == s.series.end()) {
      const auto id = s.next_id();
      if (!id) return id.error();
      s.records.push_back([id = *id, topic](ChunkFile& file) { return file.add_channel(id, 0, topic, kFrameEncoding, {}); });
      s.channels.push_back({std::nullopt, topic});
      at = s.series.emplace(topic, State::SeriesChannel{*id, 0}).first;
    }
    channel = at->second;
    ++at->second.messages;
  }
  return s.write(channel.id, channel.messages, time_ns, view_of(json), State::What::kMoment);
}

Status Writer::flush() {
  State& s = *state_;
  {
    std::unique_lock lock(s.mutex);
    if (s.is_closed) return closed();
    const std::uint64_t end = s.ring->reserved_until();
    const auto is_done = [&] { return s.ring->released_until() >= end; };
    ++s.waiting;
    while (!is_done()) {
      lock.unlock();
      s.wake(true);
      lock.lock();
      s.space.wait_for(lock, std::chrono::milliseconds(20), is_done);
    }
    --s.waiting;
  }
  s.put_records();
  const std::lock_guard lock(s.file_mutex);
  if (s.failed) return s.failure;
  return {};
}

bool Writer::has_failed() const { return state_->failed.load(std::memory_order_relaxed); }

Result<WriterStatistics> Writer::close() {
  State& s = *state_;
  {
    const std::lock_guard lock(s.mutex);
    if (s.is_closed) return closed();
    s.is_closed = true;
  }
  {
    const std::lock_guard lock(s.wake_mutex);
    s.stopping = true;
  }
  s.wake_up.notify_one();
  s.thread.join();
  // A write() that was under way in another thread commits within moments.
  while (true) {
    s.drain(true);
    const std::lock_guard lock(s.mutex);
    if (s.ring->is_empty()) break;
  }
  const std::lock_guard lock(s.file_mutex);
  if (s.statistics.dropped_messages && !s.failed)
    (void)s.note(s.file.add_metadata("edgeprobe.dropped",
                                     {{"frames", std::to_string(s.statistics.dropped_frames)},
                                      {"messages", std::to_string(s.statistics.dropped_messages)}}));
  (void)s.note(s.file.finish());
  if (s.failed) return s.failure;
  return s.statistics;
}

}  // namespace edgeprobe::trace
