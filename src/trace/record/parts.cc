// SPDX-License-Identifier: Apache-2.0
#include "trace/record/parts.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "core/text.h"
#include "trace/channel_text.h"
#include "trace/record/file_sink.h"
#include "trace/record/part_mark.h"

namespace edgeprobe::trace {
namespace {

constexpr std::uint32_t kMostParts = 1'000'000;
// Size of a part with one chunk, without the caller's channels and metadata.
constexpr std::uint64_t kEmptyPart = 4096;
// Size of a Metadata record and its index.
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

std::string series_name(const TimeSource& time) {
  // Linked statically, std::random_device would require a newer glibc than the rest.
  std::uint64_t number = 0;
  if (::getentropy(&number, sizeof number) != 0) number = time.unix_ns();
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
  return text;
}

}  // namespace

Parts::Parts(std::filesystem::path path, const WriterOptions& options, const TimeSource& time)
    : is_one_(options.rotation.is_never()),
      options_(options),
      time_(time),
      path_(std::move(path)),
      series_(is_one_ ? std::string() : series_name(time)),
      head_bytes_(is_one_ ? 0 : kEmptyPart) {}

Result<std::unique_ptr<Parts>> Parts::open(const Part::Place& place, const WriterOptions& options,
                                           const TimeSource& time) {
  auto parts = std::make_unique<Parts>("", options, time);
  EP_CHECK(Part::open(parts->part_, place, options, time));
  return parts;
}

Result<std::unique_ptr<Parts>> Parts::open(const std::filesystem::path& path,
                                           const WriterOptions& options, const TimeSource& time) {
  auto parts = std::make_unique<Parts>(path, options, time);
  EP_CHECK(parts->begin_part());
  return parts;
}

Status Parts::fail(Error error) {
  if (!failure_) failure_ = std::move(error);
  return *failure_;
}

Status Parts::refusal() const {
  if (failure_) return *failure_;
  if (is_closed_) return Error{ErrorKind::kUsage, "the trace is closed already"};
  return {};
}

WriterOptions Parts::part_options() const {
  WriterOptions out = options_;
  const std::uint64_t part_bytes = options_.rotation.part_bytes;
  if (out.most_bytes)
    out.most_bytes =
        std::max<std::uint64_t>(1, out.most_bytes - std::min(out.most_bytes, ended_.bytes));
  if (part_bytes)
    out.most_bytes = std::min(out.most_bytes ? out.most_bytes : part_bytes, part_bytes);
  return out;
}

Status Parts::open_part(std::filesystem::path& path) {
  const WriterOptions options = part_options();
  for (; next_number_ < kMostParts; ++next_number_) {
    path = part_path(path_, next_number_);
    auto opened = Part::open(
        part_,
        {[&] {
           return FileSink::create(path, {/*replace=*/false, /*hidden=*/false, options.most_bytes});
         },
         "'" + sanitized(path.string()) + "'", path.parent_path()},
        options, time_);
    std::error_code unknown;
    if (opened || !std::filesystem::exists(std::filesystem::symlink_status(path, unknown)))
      return opened;
  }
  return Error{ErrorKind::kLimit, "'" + sanitized(path_.string()) + "': all part numbers below " +
                                      std::to_string(kMostParts) + " are taken"};
}

// If a name now belongs to another file, that file is kept, whatever its inode.
void Parts::remove_old_parts() {
  const std::size_t newest = options_.rotation.newest_parts;
  while (newest && paths_.size() > newest) {
    remove_part(paths_.front(), series_);
    paths_.erase(paths_.begin());
    ++removed_;
  }
}

Status Parts::write_head() {
  part_->expect_frame(largest_frame_);
  auto done =
      part_->metadata(kPartName, {{"series", series_}, {"part", std::to_string(next_part())}});
  for (const auto& [name, values] : groups_)
    if (done) done = part_->metadata(name, values);
  ids_.clear();
  for (const Channel& channel : channels_) {
    if (!done) break;
    const auto id = part_->add_channel(channel);
    if (id) ids_.push_back(*id);
    else done = id.error();
  }
  return done;
}

Status Parts::begin_part() {
  std::filesystem::path path;
  if (auto opened = open_part(path); !opened) return fail(opened.error());
  if (auto done = write_head(); !done) {
    part_.reset();
    return fail(done.error());
  }
  if (next_part()) repeated_bytes_ += head_bytes_;
  paths_.push_back(std::move(path));
  ++next_number_;
  remove_old_parts();
  part_bytes_ = event_bytes_ = 0;
  part_start_ = time_.now();
  return {};
}

Status Parts::end_part() {
  ended_event_bytes_ += part_->event_bytes();
  const auto closed = part_->close();
  part_.reset();
  if (!closed) return fail(closed.error());
  ended_ += *closed;
  return {};
}

// The reader merges groups with the same name.
void Parts::remember(const std::string& name, const std::map<std::string, std::string>& values) {
  auto group = groups_.begin();
  while (group != groups_.end() && group->first != name) ++group;
  if (group == groups_.end()) {
    group = groups_.insert(group, {name, {}});
    head_bytes_ += kGroup + 2 * name.size();
  }
  for (const auto& [key, value] : values) {
    const auto [at, is_new] = group->second.emplace(key, value);
    head_bytes_ += (is_new ? 2 * 4 + key.size() + value.size() : value.size() - at->second.size());
    if (!is_new) at->second = value;
  }
}

// An empty part is useless: its first message always stays in it.
bool Parts::is_due() const {
  const std::uint64_t bytes = part_bytes_.load(std::memory_order_relaxed);
  const Rotation& rotation = options_.rotation;
  return !failure_ && !is_closed_ && bytes &&
         ((rotation.part_bytes && bytes >= rotation.part_bytes) ||
          (rotation.part_time.count() && time_.now() - part_start_ >= rotation.part_time));
}

// Starts a new part if `is_due`, evaluated under the mutex.
template <class IsDue>
Result<Parts::Shared> Parts::enter(IsDue is_due_for_this) {
  Shared lock(mutex_);
  if (is_due_for_this()) {
    lock.unlock();
    {
      const std::lock_guard alone(mutex_);
      if (is_due_for_this())
        if (auto done = end_part()) (void)begin_part();
    }
    lock.lock();
  }
  EP_CHECK(refusal());
  return lock;
}

void Parts::raise(std::atomic<std::int64_t>& newest, std::uint32_t frame) {
  std::int64_t now = newest.load(std::memory_order_relaxed);
  while (frame > now && !newest.compare_exchange_weak(now, frame, std::memory_order_relaxed)) {
  }
}

Result<Parts::Shared> Parts::enter_frame(std::uint32_t frame, std::uint64_t bytes) {
  auto lock =
      enter([&] { return frame > newest_frame_.load(std::memory_order_relaxed) && is_due(); });
  if (!lock) return lock;
  part_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  if (event_bytes_.load(std::memory_order_relaxed))
    event_bytes_.store(0, std::memory_order_relaxed);
  raise(newest_frame_, frame);
  return lock;
}

Result<Parts::Shared> Parts::enter_event(std::uint64_t bytes) {
  const std::uint64_t most = options_.rotation.part_bytes;
  auto lock = enter([&] {
    return is_due() && (newest_ended_.load(std::memory_order_relaxed) >=
                            newest_frame_.load(std::memory_order_relaxed) ||
                        (most && event_bytes_.load(std::memory_order_relaxed) >= most));
  });
  if (!lock) return lock;
  part_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  event_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  return lock;
}

Result<Parts::Shared> Parts::enter() {
  return enter([] { return false; });
}

Result<ChannelId> Parts::add_channel(const Channel& channel) {
  if (is_one_) return part_->add_channel(channel);
  const std::lock_guard alone(mutex_);
  EP_CHECK(refusal());
  const auto id = part_->add_channel(channel);
  if (!id) return id;
  channels_.push_back(channel);
  head_bytes_ += channel_bytes(topic_of(channel), metadata_of(channel));
  ids_.push_back(*id);
  return static_cast<ChannelId>(channels_.size());
}

Status Parts::metadata(const std::string& name, const std::map<std::string, std::string>& values) {
  if (is_one_) return part_->metadata(name, values);
  const std::lock_guard alone(mutex_);
  EP_CHECK(refusal());
  EP_CHECK(part_->metadata(name, values));
  remember(name, values);
  return {};
}

void Parts::expect_frame(std::uint64_t bytes) {
  if (is_one_) return part_->expect_frame(bytes);
  const std::lock_guard alone(mutex_);
  largest_frame_ = std::max(largest_frame_, bytes);
  if (part_) part_->expect_frame(largest_frame_);
}

bool Parts::has_failed() const {
  if (is_one_) return part_->has_failed();
  const Shared lock(mutex_);
  return failure_ || (part_ && part_->has_failed());
}

WriterStatistics Parts::statistics() const {
  if (is_one_) return part_->statistics();
  const Shared lock(mutex_);
  WriterStatistics sum = ended_;
  if (part_) sum += part_->statistics();
  return sum;
}

std::uint64_t Parts::unseen_bytes_of_parts() const {
  const Shared lock(mutex_);
  // Event streams are repeated in the next part.
  return repeated_bytes_ + ended_event_bytes_ + head_bytes_ +
         (part_ ? 2 * part_->event_bytes() : 0);
}

std::pair<std::vector<std::filesystem::path>, std::size_t> Parts::files() const {
  const Shared lock(mutex_);
  return {paths_, removed_};
}

Result<WriterStatistics> Parts::close() {
  if (is_one_) return part_->close();
  const std::lock_guard alone(mutex_);
  if (is_closed_) return Error{ErrorKind::kUsage, "the trace is closed already"};
  is_closed_ = true;
  if (part_) (void)end_part();
  if (failure_) return *failure_;
  return ended_;
}

}  // namespace edgeprobe::trace
