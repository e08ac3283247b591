// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "trace/channel.h"
#include "trace/event_stream.h"

namespace edgeprobe::trace {

struct ReadChannel {
  ChannelId id = 0;
  Channel channel;
  std::uint64_t messages = 0;
};

/// An event stream, which is not part of a frame (events.h visits its events).
struct ReadEventStream {
  EventStream stream;
  std::uint64_t messages = 0;
};

}  // namespace edgeprobe::trace
