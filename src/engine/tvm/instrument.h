// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <vector>

#include "engine/engine.h"
#include "engine/tvm/api.h"

namespace edgeprobe::engine::tvm {

/// Times every call of TVM's virtual machine.
class Instrument {
 public:
  /// Passes `this`, which must not move afterwards, to the machine's function set_instrument.
  Status install(const Api& api, const Value& set_instrument);
  void start() { calls_.clear(); }
  /// Times of the calls since start(), as the list of kernels from the first inference. If the
  /// model took another path, calls count for the first entry with their name.
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
  /// Calls that have not returned yet: the model's own function contains all others.
  std::vector<std::size_t> open_;
  std::vector<OpTime> kernels_;
};

}  // namespace edgeprobe::engine::tvm
