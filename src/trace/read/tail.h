// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "trace/channel.h"
#include "trace/read/events.h"

namespace edgeprobe::trace {

/// Receives what a tail reads; views are valid during the call.
struct TailVisitor {
  std::function<void(const FrameRecord&)> frame;
  std::function<void(const Channel&, std::uint32_t frame, std::uint64_t time_ns, ByteView bytes)>
      tensor;
  std::function<void(const EventStream&, const Event&)> event;
  /// An event as stored, in any form: its topic and its JSON.
  std::function<void(const std::string& topic, std::uint64_t time_ns, ByteView json)> event_text;
  std::function<void(const std::string& name, const std::map<std::string, std::string>& values)>
      metadata;
};

/// Follows a trace that another process is writing: each poll() reports what was added since the
/// last one, chunk by chunk, and holds at most one chunk. Compressed chunks and messages outside
/// chunks, which none of our recorders writes, are skipped and counted.
class Tail {
 public:
  /// Fails with kNotFound, or with kCorrupt if the file does not start like a trace.
  static Result<Tail> open(const std::filesystem::path& path);
  Tail(Tail&&) noexcept;
  ~Tail();

  /// kCorrupt if a complete record is invalid. Returns early, after a whole chunk, once `enough`
  /// returns true; the next call continues there.
  Status poll(const TailVisitor& visitor, const std::function<bool()>& enough = {});
  bool is_finished() const { return finished_; }   ///< The recording has its footer.
  std::uint64_t bytes() const { return offset_; }  ///< Bytes read so far.
  std::uint64_t passed_over() const { return passed_over_; }

 private:
  Tail(int file, std::uint64_t offset) : file_(file), offset_(offset) {}
  Status take(std::uint8_t op, ByteView content, const TailVisitor& visitor);
  void take_messages(ByteView chunk, const TailVisitor& visitor);
  void add_channel(ByteView content);

  struct ChannelEntry {
    enum Kind { kTensor, kFrame, kEvents } kind = kTensor;
    Channel channel;
    EventStream stream;
    std::string topic;  ///< Topic of an event stream.
  };
  int file_ = -1;
  std::uint64_t offset_ = 0, passed_over_ = 0;
  bool finished_ = false;
  Bytes buffer_;
  std::map<ChannelId, ChannelEntry> known_;
};

}  // namespace edgeprobe::trace
