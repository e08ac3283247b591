// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "core/descriptor.h"
#include "core/result.h"
#include "engine/channel.h"
#include "engine/engine.h"
#include "process/child.h"
#include "process/python.h"

namespace edgeprobe::engine {

/// Limit for opening a plug-in, which may load a framework.
inline constexpr std::chrono::seconds kImportLimit{120};

/// One engine process: this executable with kWorkerArgument, or the Python that serves a plug-in.
/// The destructor stops it and waits; it
/// also exits when this process does. Not thread-safe.
class Child {
 public:
  static Result<std::unique_ptr<Child>> start(const EngineChoice& choice);
  /// Where a plug-in's prints and tracebacks go: they are kept for the sentence about its end, or
  /// shown on this program's standard error.
  enum class Prints { kKept, kShown };
  /// The Python that serves a plug-in of this kind (process::plugin_command()).
  static Result<std::unique_ptr<Child>> start_plugin(const std::string& kind,
                                                     const std::string& python,
                                                     Prints prints = Prints::kKept);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  /// Sends one request and waits for its answer, at most `limit`. Returns the worker's reply or its
  /// error. A crash, a timeout or an invalid answer stops the process and returns kTarget; `doing`
  /// ("running 'm.tflite' in tflite 2.18.0") starts that sentence. An answer longer than `longest`
  /// bytes is invalid. `asked` is the duration of the requested work, to which the limit is added.
  Result<Bytes> call(wire::Step step, ByteView body, int descriptor,
                     std::chrono::milliseconds limit, std::string_view doing,
                     std::uint64_t longest = wire::kLongestAnswer,
                     std::chrono::milliseconds asked = std::chrono::milliseconds(0));
  pid_t pid() const { return process_.pid(); }
  /// False once it crashed, was killed, timed out or sent an invalid answer.
  bool alive() const { return ended_.empty() && process_.is_running(); }
  /// True if it failed by itself: it was not killed from outside or stopped at a limit.
  bool crashed() const { return crashed_; }

 private:
  static Result<std::unique_ptr<Child>> start(process::PluginCommand made, bool is_plugin,
                                              Prints prints);
  Child(process::Child process, Channel channel, process::Output printed);
  /// Waits until `limit` from now and reads the engine's output meanwhile.
  process::Wait within(std::chrono::milliseconds limit);
  Error end(Broken broken, std::chrono::milliseconds limit, std::string_view doing);
  /// The engine's last output, as the end of a sentence; "" if it printed no error.
  std::string last_words() const;

  Descriptor lifeline_;  ///< Of a plug-in: process/python.h. Closed after the process has ended.
  process::Child process_;
  Descriptor process_end_;  ///< Of a plug-in: readable once its process has ended.
  Channel channel_;
  process::Output printed_;
  bool is_plugin_ = false;
  Prints prints_ = Prints::kKept;
  std::string ended_;  ///< Why the process is gone; empty while it runs.
  bool crashed_ = false;
};

}  // namespace edgeprobe::engine
