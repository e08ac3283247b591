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
  std::uint64_t frames = 0;             ///< Frames whose end arrived.
  std::uint64_t incomplete_frames = 0;  ///< Those of them that lack something.
  std::uint64_t missing_messages = 0;   ///< Tensors and variables missing from them.
  /// Frames left out because their beginning or end did not arrive, or because the device dropped
  /// them.
  std::uint64_t missing_frames = 0;
  /// Frames that the device reports as dropped because its line was too slow.
  std::uint64_t dropped_by_device = 0;
  std::uint64_t unreadable = 0;  ///< Complete messages with invalid contents.
};

/// Assembles frames from a microcontroller's messages (docs/guides/microcontroller.md). Values that
/// it passes on are exactly those sent; missing ones are counted and reported in problems().
class Receiver {
 public:
  /// Takes any number of bytes received at `now_ns` (since the Unix epoch); adds everything that
  /// they complete to `out`. Fails with kUnsupported if the device uses another version, with
  /// kLimit if its frames cannot be numbered.
  Status feed(ByteView bytes, std::uint64_t now_ns, Received& out);
  /// Call once, when the line has closed, after the last feed().
  void finish();

  /// In the order of their first description; the list never shrinks.
  const std::vector<Channel>& channels() const { return channels_; }
  const ReceiverCounts& counts() const { return counts_; }
  const PacketCounts& packets() const { return packets_.counts(); }
  /// One sentence for each problem with the device's messages; counts() has the losses on the line.
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  static constexpr std::size_t kLongestText = 1024;
  struct ChannelEntry {
    std::size_t channel = 0;
    std::uint32_t check = 0;
  };
  struct OpenFrame {
    std::uint32_t number = 0;  ///< The device's number of the frame.
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
  /// By the device's channel number, since its last start.
  std::map<std::uint16_t, ChannelEntry> known_;
  std::map<std::string, std::string> facts_;
  std::optional<OpenFrame> frame_;
  /// The device's next frame number; unset until the first frame.
  std::optional<std::uint32_t> next_;
  std::optional<std::uint32_t> run_;
  std::optional<std::uint32_t> dropped_;  ///< The device's last report.
  /// Frame number in the trace of the device's frame 0 since its last start.
  std::uint64_t base_ = 0;
  std::uint64_t numbers_used_ = 0;
  std::optional<std::uint64_t> clock_;  ///< Unix time of the device's time 0.
  ReceiverCounts counts_;
  std::vector<std::string> problems_;
  std::uint64_t more_problems_ = 0;
  bool said_unknown_ = false;
};

}  // namespace edgeprobe::trace
