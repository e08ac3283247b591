// SPDX-License-Identifier: Apache-2.0
#include "trace/record/message_queue.h"

#include <algorithm>
#include <cstring>

#include "core/text.h"
#include "trace/mcap/stream_copy.h"

namespace edgeprobe::trace {
namespace {

constexpr std::size_t kMostChannels = 65535;
// per chunk: an index entry takes 16 bytes, also in memory
constexpr std::size_t kMostMessages = 4096;
constexpr std::size_t kMostAskedFor = 2048, kShortMessages = 192;
// The timeout only guards against a wake-up just before the wait starts.
constexpr std::chrono::milliseconds kPatience{20};

void ask_for_line(const void* at) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(at)));
#else
  __builtin_prefetch(at, 1);
#endif
}

// Prefetches the memory of the next record: the thread that writes the file has read it, so it is
// in another processor's cache, and copying a kilobyte would wait for each cache line.
void ask_for(const std::byte* at, std::size_t size) {
  for (std::size_t i = 0; i < size; i += 64) ask_for_line(at + i);
}

}  // namespace

MessageQueue::MessageQueue(std::unique_ptr<Ring> ring, const WriterOptions& options, Alarm& alarm,
                           const TimeSource& time)
    : ring_(std::move(ring)),
      // With a chunk larger than half the ring, producers and consumer could not work concurrently.
      chunk_bytes_(std::clamp<std::size_t>(options.chunk_bytes, 1, ring_->capacity() / 2)),
      chunk_messages_(std::min<std::size_t>(kMostMessages, ring_->slots() / 4)),
      ring_limit_(ring_->capacity()),
      is_paced_(options.when_full == WhenFull::kDropFrame),
      most_bytes_(is_paced_ ? ring_limit_ - ring_->capacity() / 4 : chunk_bytes_),
      most_messages_(is_paced_ ? ring_->slots() - ring_->slots() / 4 : chunk_messages_),
      alarm_(alarm),
      options_(options),
      time_(time) {}

Result<ChannelId> MessageQueue::add_channel(std::optional<std::size_t> size, std::string topic) {
  const std::lock_guard lock(latch_);
  if (is_closed_) return Error{ErrorKind::kUsage, "the trace is closed already"};
  if (sizes_.size() >= kMostChannels)
    return Error{ErrorKind::kLimit,
                 "a trace holds at most " + std::to_string(kMostChannels) + " channels"};
  sizes_.push_back(size.value_or(kAnySize));
  topics_.push_back(std::move(topic));
  return static_cast<ChannelId>(sizes_.size());
}

Error MessageQueue::refusal(const Message& message) const {
  if (is_closed_) return {ErrorKind::kUsage, "the trace is closed already"};
  if (message.channel == 0 || message.channel > sizes_.size())
    return {ErrorKind::kUsage,
            "channel " + std::to_string(message.channel) + " was not added to this trace"};
  return {ErrorKind::kUsage, "'" + sanitized(topics_[message.channel - std::size_t{1}]) +
                                 "', frame " + std::to_string(message.frame) + ": " +
                                 std::to_string(message.values.size()) + " bytes, expected " +
                                 std::to_string(sizes_[message.channel - std::size_t{1}])};
}

inline bool MessageQueue::is_refused(const Message& message) const {
  if (is_closed_ || message.channel == 0 || message.channel > sizes_.size()) return true;
  const std::size_t size = sizes_[message.channel - std::size_t{1}];
  return size != message.values.size() && size != kAnySize;
}

// Waking a thread costs an application tens of microseconds, so it is rarely woken. A tool's thread
// is woken for each chunk, to process it while it is in the caches.
inline bool MessageQueue::must_wake(const Ring::Reserved& record) {
  return std::exchange(is_idle_, false) || ring_->pending_bytes(record.end()) >= most_bytes_ ||
         ring_->pending_slots() >= most_messages_;
}

inline void MessageQueue::count(const Message& message) {
  ++statistics_.messages;
  statistics_.bytes += message.values.size();
  if (message.kind == Kind::kEvent) return;
  statistics_.frames += last_frame_ != message.frame;
  last_frame_ = message.frame;
}

[[gnu::always_inline]] inline void MessageQueue::fill(const Ring::Reserved& record,
                                                      const Message& message) {
  const StridedBytes& values = message.values;
  if (std::byte* const at = ring_->place(record); at && values.count == 1) {
    write_head(at, message);
    if (values.row_bytes < kMostAskedFor) {
      if (values.row_bytes) std::memcpy(at + kHead, values.data, values.row_bytes);
      ask_for(at + record.length, record.length);
    } else {
      // The lines of the end and of the short messages that usually follow arrive meanwhile.
      ask_for(at + record.length, kShortMessages);
      stream_copy(at + kHead, values.data, values.row_bytes);
    }
    // The slot of the message after the next one; that of the next one was prefetched before.
    ask_for_line(record.slot + 2);
    return;
  }
  std::byte head[kHead];
  write_head(head, message);
  ring_->put(record.offset, head, kHead);
  for (std::size_t i = 0; i < values.count; ++i)
    ring_->put(record.offset + kHead + i * values.row_bytes, values.row(i).data, values.row_bytes);
}

[[gnu::hot]] MessageQueue::Outcome MessageQueue::push(const Message& message, Error& why) {
  const std::size_t length = kHead + message.values.size();
  Ring::Reserved record;
  bool must_ring;
  {
    const std::lock_guard lock(latch_);
    if (is_refused(message)) {
      why = refusal(message);
      return Outcome::kRefused;
    }
    if (!ring_->fits(length) || has_dropped_.load(std::memory_order_relaxed)) {
      const Way way = make_way(message, length);
      if (way == Way::kDropped) return Outcome::kDone;
      if (way == Way::kTooLarge) return Outcome::kTooLarge;
      if (way == Way::kClosed) {
        why = refusal(message);
        return Outcome::kRefused;
      }
    }
    record = ring_->reserve(length, message.channel, message.frame, message.time_ns);
    must_ring = must_wake(record);
    count(message);
  }
  fill(record, message);
  ring_->commit(record);
  if (must_ring && !alarm_.is_ringing()) alarm_.ring(false);
  return Outcome::kDone;
}

void MessageQueue::rouse() {
  {
    const std::lock_guard lock(latch_);
    if (!std::exchange(is_idle_, false)) return;
    last_push_ = time_.now();
  }
  alarm_.ring(false);
}

std::optional<Pace::Time> MessageQueue::nap(Pace::Clock::time_point now) {
  const std::lock_guard lock(latch_);
  // a queue without messages is idle after this time
  const std::chrono::milliseconds flush(options_.flush_ms);
  // Dropped messages count as traffic too.
  const std::uint64_t reserved = ring_->reserved_until(),
                      pushed = reserved + statistics_.dropped_bytes;
  const std::uint64_t messages = ring_->reserved_slots() + statistics_.dropped_messages;
  if (pushed != last_seen_) last_push_ = now;
  last_seen_ = pushed;
  if (now - last_push_ > flush && ring_->is_empty()) {
    is_idle_ = true;
    bytes_pace_.start_anew();
    messages_pace_.start_anew();
    return std::nullopt;
  }
  if (!is_paced_) return flush;
  return std::min(bytes_pace_.until(now, pushed, ring_->pending_bytes(reserved), chunk_bytes_),
                  messages_pace_.until(now, messages, ring_->pending_slots(), chunk_messages_));
}

// Decides about a message that cannot simply be queued. If a frame lost something, its later
// tensors are dropped too; its record is small and reports the loss, so it is queued whenever it
// fits.
MessageQueue::Way MessageQueue::make_way(const Message& message, std::size_t length) {
  const bool drops = options_.when_full == WhenFull::kDropFrame;
  const bool is_for_queue =
      length <= std::max(ring_->capacity(), ring_limit_) || (drops && options_.ring_most);
  if ((drops || !is_for_queue) && message.kind == Kind::kTensor && dropped_.has(message.frame)) {
    count_dropped(message);
    return Way::kDropped;
  }
  if (!is_for_queue) {
    count(message);
    return Way::kTooLarge;
  }
  if (ring_->fits(length) || ring_->grow(length, ring_limit_)) return Way::kFree;
  if (!drops) {
    const bool came = wait_for_room(length);
    if (is_closed_) return Way::kClosed;
    if (came) return Way::kFree;
    count(message);
    return Way::kTooLarge;
  }
  if (wait_a_moment(length)) return Way::kFree;
  count_dropped(message);
  return Way::kDropped;
}

// False if even an empty ring cannot take the record, for want of memory. A record larger than the
// ring never fits until the ring has grown, which may have to wait until the others are written.
bool MessageQueue::wait_for_room(std::size_t length) {
  const auto has_room = [&] { return ring_->fits(length) || ring_->grow(length, ring_limit_); };
  ++waiting_;
  bool came = false;
  while (!(came = has_room()) && !ring_->is_empty()) {
    latch_.unlock();
    alarm_.ring(true);
    latch_.lock();
    space_.wait_for(latch_, kPatience, [&] { return ring_->is_empty() || has_room(); });
  }
  --waiting_;
  return came;
}

// True if the record fits after a short wait. Waits for a stalled disk only once, not on every
// call.
bool MessageQueue::wait_a_moment(std::size_t length) {
  if (length > ring_limit_ || options_.longest_wait.count() == 0 || !may_wait_) return false;
  ++waiting_;
  latch_.unlock();
  alarm_.ring(true);
  latch_.lock();
  const bool came = space_.wait_for(latch_, options_.longest_wait, [&] {
    return ring_->fits(length) || ring_->grow(length, ring_limit_);
  });
  --waiting_;
  if (!came) may_wait_ = false;
  return came && !is_closed_;
}

void MessageQueue::count_dropped(const Message& message) {
  ++statistics_.dropped_messages;
  if (message.kind == Kind::kEvent) return;
  statistics_.dropped_frames += dropped_.add(message.frame);
  has_dropped_.store(true, std::memory_order_relaxed);
  if (message.kind != Kind::kTensor) return;
  ++statistics_.dropped_tensors;
  statistics_.dropped_bytes += message.values.size();
}

std::uint64_t MessageQueue::dropped_of(std::uint32_t frame) const {
  if (!has_dropped_.load(std::memory_order_relaxed)) return 0;
  const std::lock_guard lock(latch_);
  return dropped_.messages_of(frame);
}

void MessageQueue::expect_frame(std::uint64_t bytes) {
  const std::lock_guard lock(latch_);
  const std::uint64_t limit =
      std::min<std::uint64_t>(options_.ring_most, options_.ring_bytes + bytes);
  if (limit <= ring_limit_) return;
  // A single frame of the largest size must not wake the thread.
  if (is_paced_) most_bytes_ += limit - ring_limit_;
  ring_limit_ = static_cast<std::size_t>(limit);
}

WriterStatistics MessageQueue::statistics() const {
  const std::lock_guard lock(latch_);
  return statistics_;
}

bool MessageQueue::is_awaited() const {
  const std::lock_guard lock(latch_);
  return waiting_ > 0;
}

bool MessageQueue::wait_until_taken() {
  const std::lock_guard lock(latch_);
  if (is_closed_) return false;
  const std::uint64_t end = ring_->reserved_until();
  const auto is_taken = [&] { return ring_->released_until() >= end; };
  ++waiting_;
  while (!is_taken()) {
    latch_.unlock();
    alarm_.ring(true);
    latch_.lock();
    space_.wait_for(latch_, kPatience, is_taken);
  }
  --waiting_;
  return true;
}

bool MessageQueue::close() {
  const std::lock_guard lock(latch_);
  return !std::exchange(is_closed_, true);
}

bool MessageQueue::is_empty() const {
  const std::lock_guard lock(latch_);
  return ring_->is_empty();
}

bool MessageQueue::take(bool all, Ring::Run& run, std::vector<ChunkEntry>& entries) {
  ring_->ready_run(chunk_bytes_, chunk_messages_, run);
  if (run.slots == 0 || (!all && run.bytes < chunk_bytes_ && run.slots < chunk_messages_))
    return false;
  entries.clear();
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < run.slots; ++i) {
    const Ring::Slot& slot = ring_->slot(i);
    entries.push_back({slot.channel, slot.frame, slot.time_ns, offset});
    offset += slot.length;
  }
  return true;
}

void MessageQueue::release(const Ring::Run& run) {
  const std::lock_guard lock(latch_);
  ring_->release(run);
  may_wait_ |= ring_->pending_bytes(ring_->reserved_until()) <= ring_->capacity() / 2;
  if (waiting_) space_.notify_all();
}

}  // namespace edgeprobe::trace
