// SPDX-License-Identifier: Apache-2.0
#include "trace/read/message_places.h"

#include <algorithm>

namespace edgeprobe::trace {
namespace {

bool before(const MessagePlaces::Place& a, const MessagePlaces::Place& b) {
  return a.frame != b.frame ? a.frame < b.frame : a.channel < b.channel;
}

}  // namespace

void MessagePlaces::walk(const Contents& contents, std::size_t at, const Body& body,
                         std::size_t most) {
  std::uint64_t messages = 0;
  for (const ReadChannel& channel : contents.channels) messages += channel.messages;
  const std::size_t frames = contents.frames.size();
  std::size_t end = frames;
  if (messages <= most) at = 0;
  else
    end =
        at + std::min(frames - at, std::max<std::size_t>(
                                       1, most / static_cast<std::size_t>(messages / frames + 1)));
  first_ = contents.frames[at];
  last_ = contents.frames[end - 1];
  places_.clear();
  frames_.clear();
  unreadable_.clear();
  segments_ = contents.segments.size();
  std::vector<std::size_t> unread;
  for (std::size_t i = 0; i < segments_; ++i) {
    const Segment& segment = contents.segments[i];
    if (segment.first_frame > last_ || segment.last_frame < first_) continue;
    const auto bytes = body(i);
    if (!bytes) {
      unread.push_back(i);
      continue;
    }
    for (std::size_t next = 0; next < bytes->size;) {
      const auto record = mcap::record_at(*bytes, next);
      if (!record) break;  // the file changed since it was scanned
      const std::size_t place = next;
      next = record->end();
      const auto message = tensor_message(contents, *record);
      if (!message || !covers(message->frame)) continue;
      places_.push_back({message->frame, static_cast<std::uint32_t>(message->channel),
                         static_cast<std::uint32_t>(i), place});
      if (places_.size() > 2 * most) sort_and_cut(most);
    }
  }
  sort_and_cut(most);
  if (!unread.empty()) note_unreadable(contents, unread);
}

// The first of repeated (frame, channel) pairs counts. A frame has at most as many channels as its
// file, so one frame always fits.
void MessagePlaces::sort_and_cut(std::size_t most) {
  std::stable_sort(places_.begin(), places_.end(), before);
  places_.erase(
      std::unique(places_.begin(), places_.end(),
                  [](const Place& a, const Place& b) { return !before(a, b) && !before(b, a); }),
      places_.end());
  if (places_.size() <= most || places_[most].frame == places_.front().frame) return;
  last_ = places_[most].frame - 1;
  places_.erase(std::partition_point(places_.begin(), places_.end(),
                                     [this](const Place& place) { return place.frame <= last_; }),
                places_.end());
}

void MessagePlaces::note_unreadable(const Contents& contents,
                                    const std::vector<std::size_t>& segments) {
  const auto begin = std::lower_bound(contents.frames.begin(), contents.frames.end(), first_);
  frames_.assign(begin, std::upper_bound(begin, contents.frames.end(), last_));
  unreadable_.assign(frames_.size(), segments_);
  // for each frame: itself or the next one that still lacks a segment
  std::vector<std::size_t> open(frames_.size() + 1);
  for (std::size_t i = 0; i < open.size(); ++i) open[i] = i;
  const auto next_open = [&](std::size_t i) {
    while (open[i] != i) i = open[i] = open[open[i]];
    return i;
  };
  for (const std::size_t s : segments) {
    const auto from =
        std::lower_bound(frames_.begin(), frames_.end(), contents.segments[s].first_frame);
    for (std::size_t i = next_open(static_cast<std::size_t>(from - frames_.begin()));
         i < frames_.size() && frames_[i] <= contents.segments[s].last_frame;
         i = next_open(i + 1)) {
      unreadable_[i] = s;
      open[i] = i + 1;
    }
  }
}

const MessagePlaces::Place* MessagePlaces::find(std::uint32_t frame, std::uint32_t channel) const {
  const Place wanted{frame, channel, 0, 0};
  const auto at = std::lower_bound(places_.begin(), places_.end(), wanted, before);
  return at == places_.end() || before(wanted, *at) ? nullptr : &*at;
}

std::optional<std::size_t> MessagePlaces::unreadable(std::uint32_t frame) const {
  const auto at = std::lower_bound(frames_.begin(), frames_.end(), frame);
  if (at == frames_.end() || *at != frame) return std::nullopt;
  const std::size_t segment = unreadable_[static_cast<std::size_t>(at - frames_.begin())];
  return segment < segments_ ? std::optional(segment) : std::nullopt;
}

}  // namespace edgeprobe::trace
