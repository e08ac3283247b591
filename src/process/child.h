// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"

namespace edgeprobe::process {

/// What to start, and what it inherits: the standard descriptors and those that are named, the
/// environment, no signal that is blocked or ignored. Without a descriptor 0 its standard input is
/// /dev/null.
struct Command {
  std::string program;                           ///< A path, or a name that is looked for in PATH.
  std::vector<std::string> arguments;            ///< Its own name first.
  std::vector<std::string> environment = {};     ///< "NAME=value", after this process's own.
  std::vector<std::pair<int, int>> descriptors;  ///< One of ours, and its number there.
  /// A process group of its own: Ctrl-C reaches this program alone, and ending the child ends all
  /// that it started.
  bool own_group = true;
};

/// How a process ended.
struct Exit {
  int code = 0;    ///< When no signal ended it.
  int signal = 0;  ///< 0 for none.

  /// "SIGSEGV" or "exit code 3".
  std::string name() const;
  /// "SIGSEGV (Segmentation fault)" or "exit code 3".
  std::string text() const;
};

/// A child process. It is killed and reaped when the object goes. Move-only.
class Child {
 public:
  /// kNotFound with the system's own words when the program cannot be started.
  static Result<Child> start(const Command& command);
  Child() = default;
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  ~Child();

  /// -1 once it is reaped.
  pid_t pid() const { return pid_; }
  bool is_running() const;
  /// Waits at most `patience` for it to end by itself, then kills it, with its group when it has
  /// its own, which also ends what it left behind. Reaps it.
  Exit end(std::chrono::milliseconds patience);
  /// Waits until it ended by itself and reaps it; nothing, and it runs on, when `stop` becomes
  /// true.
  std::optional<Exit> wait(const std::atomic<bool>* stop);

 private:
  bool is_ours() const;
  Exit reap();
  pid_t pid_ = -1;
  bool own_group_ = false;
};

/// Names a program that starts this one again, given this program's path and its arguments: an
/// emulator such as qemu-aarch64-static. Unset or empty: the kernel starts it.
inline constexpr const char* kLauncherVariable = "EDGEPROBE_WORKER_LAUNCHER";

/// This program again, with other arguments, its own name first. kTarget where its path cannot be
/// read, which only a launcher needs.
Result<Command> this_program(std::vector<std::string> arguments);

}  // namespace edgeprobe::process
