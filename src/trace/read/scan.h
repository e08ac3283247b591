// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/file.h"
#include "core/result.h"
#include "trace/mcap/mcap.h"
#include "trace/mcap/problems.h"
#include "trace/mcap/segment.h"
#include "trace/read/read_channel.h"

namespace edgeprobe::trace {

/// What the channel ids of an MCAP file stand for: an index into Contents::channels, or one of the
/// constants.
class ChannelTable {
 public:
  static constexpr int kIgnored = -1, kFrames = -2, kUnknown = -3;
  int operator[](ChannelId id) const { return id < indices_.size() ? indices_[id] : kUnknown; }
  void set(ChannelId id, int index) {
    if (id >= indices_.size()) indices_.resize(id + std::size_t{1}, kUnknown);
    indices_[id] = index;
  }

 private:
  std::vector<int> indices_;
};

/// Everything about a trace file but the tensors' values.
struct Contents {
  std::vector<Segment> segments;  ///< In file order; only those with messages.
  std::vector<ReadChannel> channels;
  std::map<ChannelId, ReadEventStream> stream;
  ChannelTable channel_of;
  std::vector<std::uint32_t> frames;
  std::vector<FrameRecord> records;
  std::map<std::string, std::map<std::string, std::string>> metadata;
  std::string library;       ///< Who wrote the file, from its header.
  bool is_finished = false;  ///< It has a footer and the magic behind it.
};

/// A Message record of a channel that is read, of the length that its channel asks for.
struct FoundMessage {
  int channel = 0;  ///< Index into Contents::channels.
  std::uint32_t frame = 0;
  std::uint64_t time_ns = 0;
  ByteView data;
};
/// The message in `record`; nothing when it is of another channel or does not fit its channel.
std::optional<FoundMessage> tensor_message(const Contents& contents, const mcap::Record& record);

/// How much of a file is looked at.
enum class Depth {
  /// The heads of its chunks and its indexes, when all of them fit together; else as kMessages.
  kIndex,
  /// The head of every message: a microsecond each, and nothing in the file can contradict it.
  kMessages,
};

/// Fails only when the bytes are no trace at all, or one of a newer version.
Result<Contents> scan(const MappedFile& file, const std::string& label, Problems& problems,
                      Depth depth);

/// Whether an indexed segment holds what its indexes said; from then on it counts as walked, or as
/// damaged.
bool holds_what_indexes_say(const Contents& contents, Segment& segment, ByteView body);

}  // namespace edgeprobe::trace
