// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "trace/channel.h"

/// How long each kernel of an engine took in a frame: one channel of stage kernel_time, int64
/// [kernels], nanoseconds.
namespace edgeprobe::trace {

/// The work that one time covers: an operator, several fused ones, or one that the engine added.
struct TimedKernel {
  std::string name;  ///< The engine's own name; "" if it has none.
  std::string type;  ///< The engine's term for its kind of work.
  /// Layers of the model that it computes; empty if the engine does not report them.
  std::vector<int> layers;
  std::vector<std::string> types;  ///< Their operators, e.g. "CONV_2D", in the same order.
  /// Number type of its computation, e.g. "f32"; "" if the engine does not report it.
  std::string precision;
  /// Contained in another kernel's time: an operator inside a delegate.
  bool inner = false;
};
bool operator==(const TimedKernel& a, const TimedKernel& b);

/// The channel for their times, in this order. `name` distinguishes several lists in one trace.
Channel kernel_times_channel(const std::vector<TimedKernel>& kernels, const std::string& name);

/// Reads the kernels of such a channel. kCorrupt, naming the channel, if its metadata and shape are
/// inconsistent.
Result<std::vector<TimedKernel>> timed_kernels(const Channel& channel);

}  // namespace edgeprobe::trace
