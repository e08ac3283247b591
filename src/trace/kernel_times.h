// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "trace/channel.h"

/// How long each kernel of an engine took in a frame: one channel of stage kernel_time, int64
/// [kernels], nanoseconds.
namespace edgeprobe::trace {

/// What one value of such a channel is the time of: an operator, several that the engine fused, or
/// one that it added.
struct TimedKernel {
  std::string name;  ///< The engine's own name; "" when it gives none.
  std::string type;  ///< The engine's word for what it does.
  /// Layers of the model that it computes; empty where the engine does not tell.
  std::vector<int> layers;
  std::vector<std::string> types;  ///< Their operators, e.g. "CONV_2D", in the same order.
  std::string precision;  ///< What it computed in, e.g. "f32"; "" when the engine does not say.
  /// Part of another kernel's time: an operator inside a delegate.
  bool inner = false;
};
bool operator==(const TimedKernel& a, const TimedKernel& b);

/// The channel of their times, in this order. `name` tells several lists of one trace apart.
Channel kernel_times_channel(const std::vector<TimedKernel>& kernels, const std::string& name);

/// The kernels of such a channel. kCorrupt, naming the channel, when its metadata and its shape do
/// not fit each other.
Result<std::vector<TimedKernel>> timed_kernels(const Channel& channel);

}  // namespace edgeprobe::trace
