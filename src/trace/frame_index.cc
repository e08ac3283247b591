// SPDX-License-Identifier: Apache-2.0
#include "trace/frame_index.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace edgeprobe::trace {
namespace {

using Range = FrameIndex::Range;

constexpr std::size_t kMostRanges = std::size_t{1} << 16;
constexpr std::size_t kMostChunks = std::size_t{1} << 21;

std::string text_of(const std::vector<Range>& ranges) {
  std::string text;
  for (const auto& [first, last] : ranges) {
    if (!text.empty()) text += ' ';
    text += std::to_string(first);
    if (last != first) text += '-' + std::to_string(last);
  }
  return text;
}

std::optional<std::vector<Range>> ranges_of(std::string_view text, std::size_t most) {
  std::vector<Range> ranges;
  const char* next = text.data();
  const char* const end = next + text.size();
  while (next != end) {
    if (!ranges.empty() && *next++ != ' ') return std::nullopt;
    Range range;
    auto got = std::from_chars(next, end, range.first);
    if (got.ec != std::errc{}) return std::nullopt;
    range.second = range.first;
    next = got.ptr;
    if (next != end && *next == '-') {
      got = std::from_chars(next + 1, end, range.second);
      if (got.ec != std::errc{} || range.second < range.first) return std::nullopt;
      next = got.ptr;
    }
    if (ranges.size() == most) return std::nullopt;
    ranges.push_back(range);
  }
  return ranges;
}

}  // namespace

void FrameIndex::add(std::uint32_t frame) {
  open_ = open_ ? Range{std::min(open_->first, frame), std::max(open_->second, frame)}
                : Range{frame, frame};
  // Nearly always the frame is known already or is the next one.
  if (!frames_.empty()) {
    Range& last = frames_.back();
    if (frame >= last.first && frame <= last.second) return;
    if (frame == std::uint64_t{last.second} + 1) {
      last.second = frame;
      return;
    }
  }
  if (is_scattered_) return;
  const auto next =
      std::upper_bound(frames_.begin(), frames_.end(), frame,
                       [](std::uint32_t f, const Range& range) { return f < range.first; });
  const bool has_before = next != frames_.begin();
  if (has_before && frame <= (next - 1)->second) return;
  const bool joins_before = has_before && (next - 1)->second + std::uint64_t{1} == frame;
  const bool joins_next = next != frames_.end() && frame + std::uint64_t{1} == next->first;
  if (joins_before && joins_next) {
    (next - 1)->second = next->second;
    frames_.erase(next);
  } else if (joins_before) {
    (next - 1)->second = frame;
  } else if (joins_next) {
    next->first = frame;
  } else if (frames_.size() < kMostRanges) {
    frames_.insert(next, {frame, frame});
  } else {
    is_scattered_ = true;
  }
}

void FrameIndex::end_chunk() {
  // A chunk with only event streams has no frame; its range is never read.
  if (chunks_.size() < kMostChunks) chunks_.push_back(open_.value_or(Range{0, 0}));
  else is_scattered_ = true;
  open_.reset();
}

std::uint64_t FrameIndex::frame_count() const {
  std::uint64_t count = 0;
  for (const auto& [first, last] : frames_) count += std::uint64_t{last} - first + 1;
  return count;
}

std::optional<mcap::TextMap> FrameIndex::to_text() const {
  if (is_scattered_ || chunks_.empty()) return std::nullopt;
  return mcap::TextMap{{"frames", text_of(frames_)}, {"chunks", text_of(chunks_)}};
}

std::optional<FrameIndex> FrameIndex::from_text(const mcap::TextMap& values) {
  const auto frames = values.find("frames"), chunks = values.find("chunks");
  if (frames == values.end() || chunks == values.end()) return std::nullopt;
  auto frame_ranges = ranges_of(frames->second, kMostRanges);
  auto chunk_ranges = ranges_of(chunks->second, kMostChunks);
  if (!frame_ranges || !chunk_ranges) return std::nullopt;
  for (std::size_t i = 1; i < frame_ranges->size(); ++i)
    if ((*frame_ranges)[i].first <= (*frame_ranges)[i - 1].second) return std::nullopt;
  FrameIndex index;
  index.frames_ = std::move(*frame_ranges);
  index.chunks_ = std::move(*chunk_ranges);
  return index;
}

}  // namespace edgeprobe::trace
