// SPDX-License-Identifier: Apache-2.0
#include "trace/rotating_writer.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>

#include "core/text.h"
#include "trace/channel_text.h"
#include "trace/part_mark.h"

namespace edgeprobe::trace {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kMostParts = 1'000'000;
// A part without channels and metadata of its caller, with a chunk.
constexpr std::uint64_t kEmptyPart = 4096;
// A Metadata record and its index.
constexpr std::uint64_t kGroup = 100;

std::filesystem::path part_path(const std::filesystem::path& path, std::uint32_t number) {
  char text[16];
  std::snprintf(text, sizeof text, "-%03u", static_cast<unsigned>(number));
  std::filesystem::path part = path;
  part.replace_extension();
  part += text;
  part += path.extension();
  return part;
}

std::string series_name() {
  // Linked statically, std::random_device would ask for a newer glibc than everything else does.
  std::uint64_t number = 0;
  if (::getentropy(&number, sizeof number) != 0)
    number =
        static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
  return text;
}

}  // namespace

struct RotatingWriter::State {
  State(std::filesystem::path p, const Rotation& r, const WriterOptions& o)
      : path(std::move(p)), rotation(r), options(o), series(series_name()) {}

  std::filesystem::path path;
  Rotation rotation;
  WriterOptions options;
  std::string series;

  // Writing shares it; what changes the part, the channels or the metadata has it alone.
  std::shared_mutex mutex;
  std::optional<Writer> writer;
  std::vector<Channel> channels;  // by id - 1
  std::vector<ChannelId> ids;     // the same in the open part
  std::vector<std::pair<std::string, std::map<std::string, std::string>>> groups;
  std::uint64_t head_bytes = kEmptyPart;                     // what each part begins and ends with
  std::uint64_t repeated_bytes = 0, ended_series_bytes = 0;  // of the parts so far
  RotationStatistics statistics;
  std::uint32_t next_number = 0;
  std::uint64_t largest_frame = 0;
  Clock::time_point part_start;
  std::optional<Error> failure;
  bool is_closed = false;

  std::atomic<std::uint64_t> part_bytes{0};
  std::atomic<std::int64_t> newest_frame{-1}, newest_ended{-1};
  std::atomic<std::uint64_t> series_bytes{0};  // since the last message of a frame

  // All of these with the mutex alone.
  Status fail(Error error) {
    if (!failure) failure = std::move(error);
    return *failure;
  }

  WriterOptions part_options() const {
    WriterOptions out = options;
    if (out.most_bytes)
      out.most_bytes = std::max<std::uint64_t>(
          1, out.most_bytes - std::min(out.most_bytes, statistics.written.bytes));
    if (rotation.part_bytes)
      out.most_bytes =
          std::min(out.most_bytes ? out.most_bytes : rotation.part_bytes, rotation.part_bytes);
    return out;
  }

  Result<Writer> open_part(std::filesystem::path& part) {
    for (; next_number < kMostParts; ++next_number) {
      part = part_path(path, next_number);
      auto opened = Writer::open(part, part_options());
      std::error_code unknown;
      if (opened || !std::filesystem::exists(std::filesystem::symlink_status(part, unknown)))
        return opened;
    }
    return Error{Fault::kLimit, "'" + printable(path.string()) + "': all part numbers below " +
                                    std::to_string(kMostParts) + " are taken"};
  }

  // A name that somebody has given to another file since is left alone, whatever inode that has.
  void remove_old_parts() {
    while (rotation.newest_parts && statistics.parts.size() > rotation.newest_parts) {
      remove_part(statistics.parts.front(), series);
      statistics.parts.erase(statistics.parts.begin());
      ++statistics.removed_parts;
    }
  }

  std::size_t next_part() const { return statistics.removed_parts + statistics.parts.size(); }

  Status begin_part() {
    std::filesystem::path part;
    auto opened = open_part(part);
    if (!opened) return fail(opened.error());
    opened->expect_frame(largest_frame);
    auto done =
        opened->metadata(kPartName, {{"series", series}, {"part", std::to_string(next_part())}});
    for (const auto& [name, values] : groups)
      if (done) done = opened->metadata(name, values);
    ids.clear();
    for (const Channel& channel : channels) {
      if (!done) break;
      const auto id = opened->add_channel(channel);
      if (id) ids.push_back(*id);
      else done = id.error();
    }
    if (!done) return fail(done.error());
    if (next_part()) repeated_bytes += head_bytes;
    statistics.parts.push_back(std::move(part));
    ++next_number;
    remove_old_parts();
    writer.emplace(std::move(*opened));
    part_bytes = series_bytes = 0;
    part_start = Clock::now();
    return {};
  }

  static void add(WriterStatistics& sum, const WriterStatistics& part) {
    sum.frames += part.frames;
    sum.messages += part.messages;
    sum.bytes += part.bytes;
    sum.dropped_messages += part.dropped_messages;
    sum.dropped_frames += part.dropped_frames;
    sum.dropped_tensors += part.dropped_tensors;
    sum.dropped_bytes += part.dropped_bytes;
  }

  Status end_part() {
    ended_series_bytes += writer->series_bytes();
    const auto closed = writer->close();
    writer.reset();
    if (!closed) return fail(closed.error());
    add(statistics.written, *closed);
    return {};
  }

  // The file's reader makes one of groups with one name.
  void remember(const std::string& name, const std::map<std::string, std::string>& values) {
    auto group = groups.begin();
    while (group != groups.end() && group->first != name) ++group;
    if (group == groups.end()) {
      group = groups.insert(group, {name, {}});
      head_bytes += kGroup + 2 * name.size();
    }
    for (const auto& [key, value] : values) {
      const auto [at, is_new] = group->second.emplace(key, value);
      head_bytes += (is_new ? 2 * 4 + key.size() + value.size() : value.size() - at->second.size());
      if (!is_new) at->second = value;
    }
  }

  bool is_full() const {
    return (rotation.part_bytes &&
            part_bytes.load(std::memory_order_relaxed) >= rotation.part_bytes) ||
           (rotation.part_time.count() && Clock::now() - part_start >= rotation.part_time);
  }

  // Empty parts say nothing: what comes first in one always stays.
  bool is_due() const { return !failure && !is_closed && part_bytes && is_full(); }

  // The mutex shared, and a part that may be written into; a new one where `is_due`, asked with the
  // mutex too.
  template <class IsDue>
  Result<std::shared_lock<std::shared_mutex>> enter(IsDue is_due_for_this) {
    std::shared_lock lock(mutex);
    if (is_due_for_this()) {
      lock.unlock();
      {
        const std::lock_guard alone(mutex);
        if (is_due_for_this())
          if (auto done = end_part()) (void)begin_part();
      }
      lock.lock();
    }
    if (failure) return *failure;
    if (is_closed) return Error{Fault::kUsage, "the trace is closed already"};
    return lock;
  }

  static void raise(std::atomic<std::int64_t>& newest, std::uint32_t frame) {
    std::int64_t now = newest.load(std::memory_order_relaxed);
    while (frame > now && !newest.compare_exchange_weak(now, frame, std::memory_order_relaxed)) {
    }
  }

  Result<std::shared_lock<std::shared_mutex>> enter_frame(std::uint32_t frame,
                                                          std::uint64_t bytes) {
    auto lock =
        enter([&] { return frame > newest_frame.load(std::memory_order_relaxed) && is_due(); });
    if (!lock) return lock;
    part_bytes.fetch_add(bytes, std::memory_order_relaxed);
    if (series_bytes.load(std::memory_order_relaxed))
      series_bytes.store(0, std::memory_order_relaxed);
    raise(newest_frame, frame);
    return lock;
  }

  // Between frames, or where no frame has written anything for as long as a part is.
  Result<std::shared_lock<std::shared_mutex>> enter_series(std::uint64_t bytes) {
    auto lock = enter([&] {
      return is_due() && (newest_ended.load(std::memory_order_relaxed) >=
                              newest_frame.load(std::memory_order_relaxed) ||
                          (rotation.part_bytes &&
                           series_bytes.load(std::memory_order_relaxed) >= rotation.part_bytes));
    });
    if (!lock) return lock;
    part_bytes.fetch_add(bytes, std::memory_order_relaxed);
    series_bytes.fetch_add(bytes, std::memory_order_relaxed);
    return lock;
  }
};

RotatingWriter::RotatingWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
RotatingWriter::RotatingWriter(RotatingWriter&&) noexcept = default;

RotatingWriter& RotatingWriter::operator=(RotatingWriter&& other) noexcept {
  if (this != &other) {
    if (state_) (void)close();
    state_ = std::move(other.state_);
  }
  return *this;
}

RotatingWriter::~RotatingWriter() {
  if (state_) (void)close();
}

Result<RotatingWriter> RotatingWriter::open(const std::filesystem::path& path,
                                            const Rotation& rotation,
                                            const WriterOptions& options) {
  auto state = std::make_unique<State>(path, rotation, options);
  if (auto done = state->begin_part(); !done) return done.error();
  return RotatingWriter(std::move(state));
}

Result<ChannelId> RotatingWriter::add_channel(const Channel& channel) {
  State& s = *state_;
  const std::lock_guard alone(s.mutex);
  if (s.failure) return *s.failure;
  if (s.is_closed) return Error{Fault::kUsage, "the trace is closed already"};
  const auto id = s.writer->add_channel(channel);
  if (!id) return id;
  s.channels.push_back(channel);
  s.head_bytes += channel_bytes(topic_of(channel), metadata_of(channel));
  s.ids.push_back(*id);
  return static_cast<ChannelId>(s.channels.size());
}

Status RotatingWriter::metadata(const std::string& name,
                                const std::map<std::string, std::string>& values) {
  State& s = *state_;
  const std::lock_guard alone(s.mutex);
  if (s.failure) return *s.failure;
  if (s.is_closed) return Error{Fault::kUsage, "the trace is closed already"};
  if (auto done = s.writer->metadata(name, values); !done) return done;
  s.remember(name, values);
  return {};
}

bool RotatingWriter::put(ChannelId channel, std::uint32_t frame, std::uint64_t time_ns,
                         const Rows& values, Error& why) {
  State& s = *state_;
  const auto lock = s.enter_frame(frame, values.size());
  if (!lock || channel == 0 || channel > s.ids.size()) {
    why = lock ? Error{Fault::kUsage,
                       "channel " + std::to_string(channel) + " was not added to this trace"}
               : lock.error();
    return false;
  }
  return s.writer->put(s.ids[channel - std::size_t{1}], frame, time_ns, values, why);
}

Status RotatingWriter::write(ChannelId channel, std::uint32_t frame, std::uint64_t time_ns,
                             const Rows& values) {
  Error why;
  if (put(channel, frame, time_ns, values, why)) return {};
  return why;
}

void RotatingWriter::expect_frame(std::uint64_t bytes) {
  State& s = *state_;
  const std::lock_guard alone(s.mutex);
  s.largest_frame = std::max(s.largest_frame, bytes);
  if (s.writer) s.writer->expect_frame(s.largest_frame);
}

Status RotatingWriter::frame(const FrameRecord& record) {
  State& s = *state_;
  const auto lock = s.enter_frame(record.frame, record.sample.size() + 64);
  if (!lock) return lock.error();
  State::raise(s.newest_ended, record.frame);
  return s.writer->frame(record);
}

Status RotatingWriter::series(const std::string& topic, std::uint64_t time_ns,
                              const std::string& json) {
  const auto lock = state_->enter_series(json.size());
  if (!lock) return lock.error();
  return state_->writer->series(topic, time_ns, json);
}

Status RotatingWriter::flush() {
  State& s = *state_;
  const std::shared_lock lock(s.mutex);
  if (s.failure) return *s.failure;
  if (s.is_closed) return Error{Fault::kUsage, "the trace is closed already"};
  return s.writer->flush();
}

WriterStatistics RotatingWriter::statistics() const {
  const std::shared_lock lock(state_->mutex);
  WriterStatistics sum = state_->statistics.written;
  if (state_->writer) State::add(sum, state_->writer->statistics());
  return sum;
}

std::uint64_t RotatingWriter::unseen_bytes() const {
  State& s = *state_;
  const std::shared_lock lock(s.mutex);
  // Series come back in the next part.
  return s.repeated_bytes + s.ended_series_bytes + s.head_bytes +
         (s.writer ? 2 * s.writer->series_bytes() : 0);
}

bool RotatingWriter::has_failed() const {
  const std::shared_lock lock(state_->mutex);
  return state_->failure || (state_->writer && state_->writer->has_failed());
}

Result<RotationStatistics> RotatingWriter::close() {
  State& s = *state_;
  const std::lock_guard alone(s.mutex);
  if (s.is_closed) return Error{Fault::kUsage, "the trace is closed already"};
  s.is_closed = true;
  if (s.writer) (void)s.end_part();
  if (s.failure) return *s.failure;
  return s.statistics;
}

}  // namespace edgeprobe::trace
