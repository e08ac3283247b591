// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "core/result.h"
#include "engine/channel.h"
#include "process/child.h"

namespace edgeprobe::engine {

/// One engine process: this executable again, with kWorkerArgument. It is ended and waited for when
/// the object goes; it ends by itself when this process does. Not thread-safe.
class Child {
 public:
  static Result<std::unique_ptr<Child>> start();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  /// Sends one request and waits for its answer, at most `limit`. The answer is what the worker
  /// replied, or its error. A crash, a pass of the limit or an answer that makes no sense ends the
  /// process and gives kTarget; `doing` ("running 'm.tflite' in tflite 2.18.0") starts that
  /// sentence. An answer of more than `longest` bytes makes no sense. `asked` is the time that the
  /// request itself asks for, which the limit comes after.
  Result<Bytes> call(wire::Step step, ByteView body, int descriptor,
                     std::chrono::milliseconds limit, std::string_view doing,
                     std::uint64_t longest = wire::kLongestAnswer,
                     std::chrono::milliseconds asked = std::chrono::milliseconds(0));
  pid_t pid() const { return process_.pid(); }
  /// False once it crashed, was killed, passed a limit or answered nonsense.
  bool alive() const { return ended_.empty() && process_.is_running(); }
  /// Its own fault: not that it was killed from outside or stopped at a limit.
  bool crashed() const { return crashed_; }

 private:
  Child(process::Child process, Channel channel, process::Output printed);
  /// Until `limit` from now; what the engine prints is read meanwhile.
  process::Wait within(std::chrono::milliseconds limit);
  Error end(Broken broken, std::chrono::milliseconds limit, std::string_view doing);
  /// What the engine printed last, as the end of a sentence; "" when it printed no error.
  std::string last_words() const;

  process::Child process_;
  Channel channel_;
  process::Output printed_;
  std::string ended_;  ///< Why the process is gone; empty while it runs.
  bool crashed_ = false;
};

}  // namespace edgeprobe::engine
