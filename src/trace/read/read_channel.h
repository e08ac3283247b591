// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "trace/channel.h"
#include "trace/series_topic.h"

namespace edgeprobe::trace {

struct ReadChannel {
  ChannelId id = 0;
  Channel channel;
  std::uint64_t messages = 0;
};

/// A series: no part of a frame (series.h visits its moments).
struct ReadSeries {
  Series series;
  std::uint64_t messages = 0;
};

}  // namespace edgeprobe::trace
