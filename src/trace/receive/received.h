// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "trace/channel.h"
#include "trace/record/writer.h"

namespace edgeprobe::trace {

struct ReceivedTensor {
  std::size_t channel = 0;  ///< Index in Receiver::channels().
  Bytes bytes;              ///< As many as a message of that channel has.
};

/// A frame whose end has arrived. record.dropped counts what it lacks.
struct ReceivedFrame {
  FrameRecord record;
  std::vector<ReceivedTensor> tensors;
};

/// A mark (no values) or a sensor's values.
struct ReceivedEvent {
  std::uint64_t time_ns = 0;
  std::string name, text, unit;
  std::vector<float> values;
  std::uint32_t frame = 0;  ///< The newest frame at its time.
};

/// Everything completed by a feed().
struct Received {
  std::vector<ReceivedFrame> frames;
  std::vector<ReceivedEvent> events;
  std::map<std::string, std::string> facts;  ///< New or changed facts.
  bool said_goodbye = false;
};

/// Writes a device's data into a trace.
class ReceivedWriter {
 public:
  explicit ReceivedWriter(Writer& writer) : writer_(writer) {}
  /// `channels` is Receiver::channels(); it may have grown since the last call.
  Status write(const Received& received, const std::vector<Channel>& channels);

 private:
  Writer& writer_;
  std::map<std::size_t, ChannelId> ids_;
};

}  // namespace edgeprobe::trace
