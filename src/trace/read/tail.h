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

/// What a tail met; views are valid during the call.
struct TailVisitor {
  std::function<void(const FrameRecord&)> frame;
  std::function<void(const Channel&, std::uint32_t frame, std::uint64_t time_ns, ByteView bytes)>
      tensor;
  std::function<void(const EventStream&, const Event&)> event;
  /// An event as it stands there, of whatever form: its topic and its JSON.
  std::function<void(const std::string& topic, std::uint64_t time_ns, ByteView json)> event_text;
  std::function<void(const std::string& name, const std::map<std::string, std::string>& values)>
      metadata;
};

/// Follows a trace that another process is writing: each poll() gives what came since the last one,
/// chunk by chunk, and holds no more than one chunk. Compressed chunks and messages outside chunks,
/// which no recorder of ours writes, are passed over and counted.
class Tail {
 public:
  /// Fails with kNotFound, or kCorrupt when the file does not start as a trace does.
  static Result<Tail> open(const std::filesystem::path& path);
  Tail(Tail&&) noexcept;
  ~Tail();

  /// kCorrupt when whole records stand there and are none. Ends early, behind a whole chunk, once
  /// `enough` says so; the next call goes on there.
  Status poll(const TailVisitor& visitor, const std::function<bool()>& enough = {});
  bool is_finished() const { return finished_; }   ///< The recording has its footer.
  std::uint64_t bytes() const { return offset_; }  ///< Read so far.
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
    std::string topic;  ///< Of events.
  };
  int file_ = -1;
  std::uint64_t offset_ = 0, passed_over_ = 0;
  bool finished_ = false;
  Bytes buffer_;
  std::map<ChannelId, ChannelEntry> known_;
};

}  // namespace edgeprobe::trace
