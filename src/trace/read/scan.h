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

/// For each channel id of an MCAP file: an index into Contents::channels, or one of the constants.
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

/// Everything in a trace file except the tensors' values.
struct Contents {
  std::vector<Segment> segments;  ///< In file order; only segments with messages.
  std::vector<ReadChannel> channels;
  std::map<ChannelId, ReadEventStream> stream;
  ChannelTable channel_of;
  std::vector<std::uint32_t> frames;
  std::vector<FrameRecord> records;
  std::map<std::string, std::map<std::string, std::string>> metadata;
  std::string library;       ///< The program that wrote the file, from its header.
  bool is_finished = false;  ///< It has a footer followed by the magic.
};

/// A Message record of a known channel with the length that the channel requires.
struct FoundMessage {
  int channel = 0;  ///< Index into Contents::channels.
  std::uint32_t frame = 0;
  std::uint64_t time_ns = 0;
  ByteView data;
};
/// The message in `record`; nothing if its channel is unknown or its length is wrong.
std::optional<FoundMessage> tensor_message(const Contents& contents, const mcap::Record& record);

/// How much of a file is read.
enum class Depth {
  /// The headers of its chunks and its indexes if they are all consistent; else as kMessages.
  kIndex,
  /// The header of every message: a microsecond each, and independent of the file's indexes.
  kMessages,
};

/// Fails only if the bytes are not a trace, or a trace of a newer version.
Result<Contents> scan(const MappedFile& file, const std::string& label, Problems& problems,
                      Depth depth);

/// True if an indexed segment matches its indexes; then marks it as walked, else as damaged.
bool holds_what_indexes_say(const Contents& contents, Segment& segment, ByteView body);

}  // namespace edgeprobe::trace
