// SPDX-License-Identifier: Apache-2.0
#include "trace/read/reader.h"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "core/file.h"
#include "core/text.h"
#include "trace/channel_text.h"
#include "trace/mcap/decode.h"
#include "trace/read/message_places.h"
#include "trace/read/scan.h"

namespace edgeprobe::trace {
namespace {

// page tables are allocated and freed in blocks of this size
constexpr std::uint64_t kBlock = std::uint64_t{2} << 20;
constexpr std::uint64_t kMostTouched = std::uint64_t{8} << 20,
                        kMostUnpacked = std::uint64_t{32} << 20;
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

struct Entry {
  std::uint32_t frame;
  std::uint32_t channel;  // index into Contents::channels
  std::uint64_t offset;   // offset of the data within the segment
  std::uint64_t size;
  bool operator<(const Entry& other) const {
    return frame != other.frame ? frame < other.frame : channel < other.channel;
  }
};

// A segment in use: the positions of its messages, and its bytes if they had to be decoded.
struct Loaded {
  std::size_t segment = kNone;
  std::vector<Entry> entries;
  Decoded decoded;
  ByteView body;
  std::uint64_t last_use = 0;
};

// Channels that a segment may hold: all until it is loaded for the first time. A frame that spans
// many chunks is read tensor by tensor; without this, each tensor would walk the chunks of all the
// tensors before it.
struct Holds {
  std::uint32_t lowest = 0, highest = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t modulo_64 = ~std::uint64_t{0};
  bool may(std::uint32_t channel) const {
    return channel >= lowest && channel <= highest && (modulo_64 >> channel % 64 & 1) != 0;
  }
};

}  // namespace

struct Reader::State {
  State(std::filesystem::path p, MappedFile f, const ReaderOptions& o)
      : path(std::move(p)), file(std::move(f)), options(o) {}

  std::filesystem::path path;
  MappedFile file;
  ReaderOptions options;
  Contents contents;
  Problems problems;
  // For segment i: the largest frame in segments up to i, and the smallest from i on. Both ascend,
  // so bisection finds the segments that can hold a frame, in whatever order the frames are stored.
  std::vector<std::uint32_t> largest_before, smallest_after;
  std::vector<Holds> holds;      // for each segment
  std::array<Loaded, 2> loaded;  // two, because a frame often continues in the next chunk
  std::uint64_t uses = 0;
  // Number of segments loaded. If it exceeds that of a few walks over the file, the messages are
  // scattered.
  std::uint64_t loads = 0;
  MessagePlaces places;
  std::map<std::size_t, Decoded> unpacked;  // decoded segments that `places` refers to
  std::deque<std::size_t> unpacked_order, touched;
  std::set<std::size_t> is_touched;
  std::uint64_t unpacked_bytes = 0, touched_bytes = 0;

  bool is_strewn() const {
    return loads > 64 + 4 * static_cast<std::uint64_t>(contents.segments.size());
  }

  void build_bounds() {
    const auto& segments = contents.segments;
    holds.resize(segments.size());
    largest_before.resize(segments.size());
    smallest_after.resize(segments.size());
    std::uint32_t largest = 0, smallest = std::numeric_limits<std::uint32_t>::max();
    for (std::size_t i = 0; i < segments.size(); ++i)
      largest_before[i] = largest = std::max(largest, segments[i].last_frame);
    for (std::size_t i = segments.size(); i-- > 0;)
      smallest_after[i] = smallest = std::min(smallest, segments[i].first_frame);
  }

  // Releases the pages of a segment and of others in the same blocks; they are mapped again when
  // accessed.
  void release(const Segment& segment) const {
    const std::uint64_t first = segment.offset / kBlock * kBlock;
    const std::uint64_t last = (segment.offset + segment.size + kBlock - 1) / kBlock * kBlock;
    file.release(first, last - first);
  }

  Result<ByteView> bytes_of(Segment& segment, Decoded& decoded, bool verify) {
    const bool is_news = segment.indexed;
    auto body = segment_bytes(file, segment, decoded, verify);
    if (body && !holds_what_indexes_say(contents, segment, *body))
      body = Error{ErrorKind::kCorrupt,
                   "the chunk" + at(segment.record) + " does not hold what the indexes say"};
    if (!body && is_news) {
      segment.indexed = false;
      problems.add(body.error().what + "; it is skipped");
    }
    return body;
  }

  Result<const Loaded*> load(std::size_t index) {
    for (Loaded& slot : loaded)
      if (slot.segment == index) {
        slot.last_use = ++uses;
        return &slot;
      }
    ++loads;
    Loaded& slot = loaded[0].last_use <= loaded[1].last_use ? loaded[0] : loaded[1];
    if (slot.segment != kNone) release(contents.segments[slot.segment]);
    slot.segment = kNone;
    slot.entries.clear();
    slot.decoded = {};
    // The checksum is verified only when a message of the segment is read, unless the segment has
    // not been walked yet: a damaged frame number must not look like a missing message.
    Segment& segment = contents.segments[index];
    EP_TRY(auto body, bytes_of(segment, slot.decoded, options.verify_checksums && segment.indexed));
    slot.body = body;
    for (std::size_t next = 0; next < body.size;) {
      const auto record = mcap::record_at(body, next);
      if (!record) break;  // the file changed since it was scanned
      next = record->end();
      if (const auto message = tensor_message(contents, *record))
        slot.entries.push_back({message->frame, static_cast<std::uint32_t>(message->channel),
                                static_cast<std::uint64_t>(message->data.data - body.data),
                                message->data.size});
    }
    // Stable: the first of repeated (frame, channel) pairs counts.
    std::stable_sort(slot.entries.begin(), slot.entries.end());
    holds[index] = {std::numeric_limits<std::uint32_t>::max(), 0, 0};
    for (const Entry& entry : slot.entries) {
      holds[index].lowest = std::min(holds[index].lowest, entry.channel);
      holds[index].highest = std::max(holds[index].highest, entry.channel);
      holds[index].modulo_64 |= std::uint64_t{1} << entry.channel % 64;
    }
    slot.segment = index;
    slot.last_use = ++uses;
    return &slot;
  }

  // Bounds the mapped memory: releases the pages of the segment that was touched first.
  void touch(std::size_t index) {
    if (!is_touched.insert(index).second) return;
    touched.push_back(index);
    touched_bytes += contents.segments[index].size;
    while (touched_bytes > kMostTouched && touched.size() > 1) {
      release(contents.segments[touched.front()]);
      touched_bytes -= contents.segments[touched.front()].size;
      is_touched.erase(touched.front());
      touched.pop_front();
    }
  }

  Result<ByteView> strewn_bytes(std::size_t index) {
    Segment& segment = contents.segments[index];
    touch(index);
    if (segment.codec.empty()) {
      Decoded none;
      return bytes_of(segment, none, options.verify_checksums);
    }
    if (const auto kept = unpacked.find(index); kept != unpacked.end()) return kept->second.bytes();
    Decoded decoded;
    EP_TRY(const auto body, bytes_of(segment, decoded, options.verify_checksums));
    while (!unpacked_order.empty() && unpacked_bytes + body.size > kMostUnpacked) {
      const auto oldest = unpacked.find(unpacked_order.front());
      unpacked_bytes -= oldest->second.bytes().size;
      unpacked.erase(oldest);
      unpacked_order.pop_front();
    }
    unpacked_bytes += body.size;
    unpacked_order.push_back(index);
    return unpacked.emplace(index, std::move(decoded)).first->second.bytes();
  }

  void walk_places(std::uint32_t frame) {
    const auto at = std::lower_bound(contents.frames.begin(), contents.frames.end(), frame);
    Decoded decoded;
    std::size_t before = kNone;
    places.walk(contents, static_cast<std::size_t>(at - contents.frames.begin()),
                [&](std::size_t index) -> std::optional<ByteView> {
                  if (before != kNone) release(contents.segments[before]);
                  before = index;
                  Segment& segment = contents.segments[index];
                  decoded = {};
                  const auto body =
                      bytes_of(segment, decoded, options.verify_checksums && segment.indexed);
                  return body ? std::optional(*body) : std::nullopt;
                });
  }

  Result<std::optional<TensorView>> read_strewn(std::uint32_t frame, std::uint32_t channel) {
    const ReadChannel& described = contents.channels[channel];
    if (!places.covers(frame)) walk_places(frame);
    const MessagePlaces::Place* const place = places.find(frame, channel);
    const auto unreadable = places.unreadable(frame);
    if (unreadable && (!place || *unreadable < place->segment))
      return damaged(
          frame, described,
          Error{ErrorKind::kCorrupt,
                "the chunk" + at(contents.segments[*unreadable].record) + " is damaged"});
    if (!place) return std::optional<TensorView>();
    const bool is_news = !contents.segments[place->segment].damaged;
    const auto body = strewn_bytes(place->segment);
    if (!body) {
      if (is_news) problems.add(body.error().what);
      return damaged(frame, described, body.error());
    }
    const auto record = mcap::record_at(*body, place->record);
    const auto message = record ? tensor_message(contents, *record) : std::nullopt;
    if (!message)
      return damaged(frame, described,
                     Error{ErrorKind::kCorrupt, "the file changed while it was read"});
    return std::optional<TensorView>(TensorView(described.channel.spec, message->data));
  }

  Error damaged(std::uint32_t frame, const ReadChannel& channel, const Error& why) const {
    return {why.kind, "frame " + std::to_string(frame) + " of '" +
                          sanitized(topic_of(channel.channel), 60) + "': " + why.what};
  }
};

Reader::Reader(std::unique_ptr<State> state) : state_(std::move(state)) {}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

Result<Reader> Reader::open(const std::filesystem::path& path, const ReaderOptions& options) {
  EP_TRY(auto file, MappedFile::open(path));
  return open(path, std::move(file), options);
}

Result<Reader> Reader::open(Bytes bytes, const ReaderOptions& options) {
  return open("memory", MappedFile::holding(std::move(bytes)), options);
}

Result<Reader> Reader::open(std::filesystem::path path, MappedFile file,
                            const ReaderOptions& options) {
  const std::string title = "'" + sanitized(path.string()) + "'";
  auto state = std::make_unique<State>(std::move(path), std::move(file), options);
  EP_TRY(state->contents, scan(state->file, title, state->problems,
                               options.use_index ? Depth::kIndex : Depth::kMessages));
  state->build_bounds();
  return Reader(std::move(state));
}

const std::filesystem::path& Reader::path() const { return state_->path; }
const std::vector<ReadChannel>& Reader::channels() const { return state_->contents.channels; }
std::vector<ReadEventStream> Reader::stream() const {
  std::vector<ReadEventStream> list;
  for (const auto& [id, stream] : state_->contents.stream) list.push_back(stream);
  return list;
}
const std::vector<std::uint32_t>& Reader::frames() const { return state_->contents.frames; }
const std::vector<FrameRecord>& Reader::records() const { return state_->contents.records; }
std::optional<std::string> Reader::declared(const std::string& fact) const {
  const auto run = metadata().find("edgeprobe.run");
  if (run == metadata().end()) return std::nullopt;
  const auto found = run->second.find(fact);
  return found == run->second.end() ? std::nullopt : std::optional(found->second);
}

const std::map<std::string, std::map<std::string, std::string>>& Reader::metadata() const {
  return state_->contents.metadata;
}
const std::vector<std::string>& Reader::problems() const { return state_->problems.sentences(); }
const std::string& Reader::library() const { return state_->contents.library; }
bool Reader::is_finished() const { return state_->contents.is_finished; }

Result<std::optional<TensorView>> Reader::read(std::uint32_t frame, ChannelId channel) const {
  State& s = *state_;
  const int index = s.contents.channel_of[channel];
  if (index < 0)
    return Error{ErrorKind::kNotFound, "'" + sanitized(s.path.string()) +
                                           "' has no tensor channel " + std::to_string(channel)};
  const ReadChannel& described = s.contents.channels[static_cast<std::size_t>(index)];
  if (s.is_strewn() &&
      std::binary_search(s.contents.frames.begin(), s.contents.frames.end(), frame))
    return s.read_strewn(frame, static_cast<std::uint32_t>(index));
  const auto begin = std::lower_bound(s.largest_before.begin(), s.largest_before.end(), frame);
  const Entry wanted{frame, static_cast<std::uint32_t>(index), 0, 0};
  for (auto i = static_cast<std::size_t>(begin - s.largest_before.begin());
       i < s.contents.segments.size(); ++i) {
    if (s.smallest_after[i] > frame) break;
    Segment& segment = s.contents.segments[i];
    if (frame < segment.first_frame || frame > segment.last_frame ||
        !s.holds[i].may(wanted.channel))
      continue;
    const auto loaded = s.load(i);
    if (!loaded) return s.damaged(frame, described, loaded.error());
    const auto& entries = (*loaded)->entries;
    const auto entry = std::lower_bound(entries.begin(), entries.end(), wanted);
    if (entry == entries.end() || wanted < *entry) continue;
    if (s.options.verify_checksums && !segment.verified && segment.checksum != 0) {
      Decoded again;  // compressed chunks were verified when the file was opened
      const bool is_news = !segment.damaged;
      if (auto body = segment_bytes(s.file, segment, again, true); !body) {
        if (is_news) s.problems.add(body.error().what);
        return s.damaged(frame, described, body.error());
      }
    }
    return std::optional<TensorView>(
        TensorView(described.channel.spec, (*loaded)->body.sub(entry->offset, entry->size)));
  }
  return std::optional<TensorView>();
}

Status Reader::visit(const std::function<Status(const ReadChannel&, std::uint32_t, std::uint64_t,
                                                ByteView)>& visitor) const {
  State& s = *state_;
  for (Segment& segment : s.contents.segments) {
    if (segment.damaged) continue;
    Decoded decoded;
    const bool is_told = segment.indexed;
    const auto body = s.bytes_of(segment, decoded, s.options.verify_checksums);
    if (!body) {
      if (!is_told) s.problems.add(body.error().what + "; it is skipped");
      continue;
    }
    for (std::size_t next = 0; next < body->size;) {
      const auto record = mcap::record_at(*body, next);
      if (!record) break;
      next = record->end();
      const auto message = tensor_message(s.contents, *record);
      if (!message) continue;
      const ReadChannel& channel = s.contents.channels[static_cast<std::size_t>(message->channel)];
      EP_CHECK(visitor(channel, message->frame, message->time_ns, message->data));
    }
    s.release(segment);
  }
  return {};
}

}  // namespace edgeprobe::trace
