// SPDX-License-Identifier: Apache-2.0
#include "trace/read/frame_list.h"

#include <algorithm>
#include <utility>

#include "trace/frame_json.h"

namespace edgeprobe::trace {
namespace {

constexpr std::size_t kMostFrames = std::size_t{1} << 24;
constexpr std::size_t kMostRecordText = std::size_t{1} << 30;

void make_unique(std::vector<std::uint32_t>& frames) {
  if (!std::is_sorted(frames.begin(), frames.end())) std::sort(frames.begin(), frames.end());
  frames.erase(std::unique(frames.begin(), frames.end()), frames.end());
}

}  // namespace

void FrameList::too_many() {
  failure_ = Error{ErrorKind::kLimit, label_ + " has more than " + std::to_string(kMostFrames) +
                                          " frames; cut it into several"};
}

void FrameList::add(std::uint32_t frame) {
  if (!frames.empty() && frames.back() == frame) return;
  frames.push_back(frame);
  if (frames.size() < compact_at_) return;
  make_unique(frames);
  compact_at_ = frames.size() * 2 + 4096;
  if (frames.size() > kMostFrames) too_many();
}

void FrameList::add_all(const FrameIndex& index) {
  if (index.frame_count() > kMostFrames) return too_many();
  for (const auto& [first, last] : index.frames())
    for (std::uint64_t frame = first; frame <= last; ++frame)
      frames.push_back(static_cast<std::uint32_t>(frame));
}

void FrameList::add_record(ByteView json, const mcap::MessageHead& head) {
  FrameRecord record;
  record.frame = head.sequence;
  record.time_ns = head.log_time;
  if (auto read = read_frame_json(json, record); !read) {
    problems_.add(read.error().what);
    record = {};
    record.frame = head.sequence;
    record.time_ns = head.log_time;
  }
  record_text_ += record.sample.size() + record.sha256.size();
  if (record_text_ > kMostRecordText)
    failure_ =
        Error{ErrorKind::kLimit, label_ + ": the frame records hold more than 1 GiB of text"};
  records.push_back(std::move(record));
  if (records.size() > 2 * kMostFrames) too_many();
}

bool FrameList::finish() {
  make_unique(frames);
  if (frames.size() > kMostFrames) too_many();
  if (failure_) return true;
  const auto by_frame = [](const FrameRecord& a, const FrameRecord& b) {
    return a.frame < b.frame;
  };
  if (!std::is_sorted(records.begin(), records.end(), by_frame))
    std::stable_sort(records.begin(), records.end(), by_frame);
  std::vector<FrameRecord> found = std::exchange(records, std::vector<FrameRecord>(frames.size()));
  std::size_t next = 0;
  bool repeated = false;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    records[i].frame = frames[i];
    for (bool first = true; next < found.size() && found[next].frame == frames[i];
         ++next, first = false) {
      if (first) records[i] = std::move(found[next]);
      repeated |= !first;
    }
  }
  if (repeated) problems_.add("some frames have several records; the first counts");
  return next == found.size();
}

}  // namespace edgeprobe::trace
