// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <vector>

#include "engine/engine.h"
#include "engine/tvm/api.h"

namespace edgeprobe::engine::tvm {

/// Times every call that TVM's virtual machine makes.
class Instrument {
 public:
  /// Hands `this`, which must not move any more, to the machine's function set_instrument.
  Status install(const Api& api, const Value& set_instrument);
  void start() { calls_.clear(); }
  /// Of the calls since start(): the list of the first inference, with these times. Where another
  /// way through the model was taken, calls count for the first of their name.
  std::vector<OpTime> take();

 private:
  using Clock = std::chrono::steady_clock;
  struct Call {
    std::string name;
    Clock::time_point start;
    std::chrono::nanoseconds time{0};
  };
  static int around(void* self, const CAny* arguments, std::int32_t count, CAny* result);
  std::vector<Call> calls_;
  /// Calls that have not returned: the model's own function is around all others.
  std::vector<std::size_t> open_;
  std::vector<OpTime> kernels_;
};

}  // namespace edgeprobe::engine::tvm
