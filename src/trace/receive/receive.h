// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "trace/receive/packets.h"
#include "trace/receive/received.h"

namespace edgeprobe::trace {

class Fields;

struct ReceiverCounts {
  std::uint64_t frames = 0;             ///< Whose end came.
  std::uint64_t incomplete_frames = 0;  ///< Of these: something is missing.
  std::uint64_t missing_messages = 0;   ///< Tensors and variables that are missing in them.
  /// Left out: their beginning or end did not come. With those that the device dropped.
  std::uint64_t missing_frames = 0;
  std::uint64_t dropped_by_device = 0;  ///< Frames, as the device says: its line was too slow.
  std::uint64_t unreadable = 0;         ///< Whole messages that make no sense.
};

/// Makes frames of what a microcontroller sends (docs/guides/microcontroller.md). A value that it
/// hands on is the one that was sent; what is missing is counted, and told in problems().
class Receiver {
 public:
  /// Takes any number of bytes that came at `now_ns` (since the Unix epoch); adds to `out` what is
  /// whole by then. Fails with kUnsupported when the device speaks another version, with kLimit
  /// when its frames cannot be numbered.
  Status feed(ByteView bytes, std::uint64_t now_ns, Received& out);
  /// The line has ended. Call once, after the last feed().
  void finish();

  /// In the order of their first description; never fewer than before.
  const std::vector<Channel>& channels() const { return channels_; }
  const ReceiverCounts& counts() const { return counts_; }
  const PacketCounts& packets() const { return packets_.counts(); }
  /// One sentence for each thing that went wrong with the device's messages; the line's losses are
  /// in counts().
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  static constexpr std::size_t kLongestText = 1024;
  struct ChannelEntry {
    std::size_t channel = 0;
    std::uint32_t check = 0;
  };
  struct OpenFrame {
    std::uint32_t number = 0;  ///< The device's.
    std::uint64_t time_ns = 0;
    std::size_t bytes = 0;
    std::uint32_t messages = 0;
    std::vector<ReceivedTensor> tensors;
  };

  Status message(ByteView bytes, std::uint64_t now_ns, Received& out);
  Status take_hello(Fields& fields);
  void take_fact(Fields& fields, Received& out);
  void take_description(Fields& fields, std::uint32_t check);
  Status take_frame(Fields& fields, std::uint64_t now_ns);
  void take_tensor(Fields& fields);
  void take_scalar(Fields& fields);
  void take_text(Fields& fields);
  void take_answer(Fields& fields);
  void take_frame_end(Fields& fields, Received& out);
  void take_mark(Fields& fields, std::uint64_t now_ns, Received& out);
  void take_sensor(Fields& fields, std::uint64_t now_ns, Received& out);
  void take_goodbye(Fields& fields, Received& out);

  void restart();
  void dropped_so_far(std::uint32_t count);
  std::optional<std::size_t> add_channel(const std::string& identity, Channel channel);
  void add_tensor(std::size_t channel, ByteView values);
  void add_variable(std::uint32_t frame, Channel channel, ByteView values);
  std::uint64_t time_from(std::uint64_t device_ns, std::uint64_t now_ns);
  Status begin_frame(std::uint32_t number, std::uint64_t time_ns);
  void end_frame(std::uint32_t number, std::uint32_t messages, FrameRecord record, Received& out);
  void add_event(ReceivedEvent event, Received& out);
  void problem(std::string sentence);
  void unreadable(const char* what);

  PacketReader packets_;
  std::vector<Channel> channels_;
  std::map<std::string, std::size_t> by_identity_;
  std::map<std::uint16_t, ChannelEntry> known_;  ///< By the device's number, since its last start.
  std::map<std::string, std::string> facts_;
  std::optional<OpenFrame> frame_;
  std::optional<std::uint32_t> next_;  ///< The device's next frame; nothing until one was seen.
  std::optional<std::uint32_t> run_;
  std::optional<std::uint32_t> dropped_;  ///< As the device last said.
  std::uint64_t base_ = 0;                ///< Of frame numbers in the trace since the last start.
  std::uint64_t numbers_used_ = 0;
  std::optional<std::uint64_t> clock_;  ///< Unix time at the device's zero.
  ReceiverCounts counts_;
  std::vector<std::string> problems_;
  std::uint64_t more_problems_ = 0;
  bool said_unknown_ = false;
};

}  // namespace edgeprobe::trace
