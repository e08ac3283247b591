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

/// The program to start, and what the child inherits: the standard descriptors, the listed
/// descriptors and the environment. It inherits no blocked or ignored signals. Without a descriptor
/// 0, its standard input is /dev/null.
struct Command {
  std::string program;                 ///< A path, or a name to look up in PATH.
  std::vector<std::string> arguments;  ///< The program's own name first.
  /// "NAME=value", in addition to this process's environment.
  std::vector<std::string> environment = {};
  std::vector<std::pair<int, int>> descriptors;  ///< Our descriptor, and its number in the child.
  /// Use a separate process group: Ctrl-C reaches only this program, and killing the child kills
  /// everything that it started.
  bool own_group = true;
};

/// How a process ended.
struct Exit {
  int code = 0;    ///< If no signal killed it.
  int signal = 0;  ///< 0 for none.

  /// "SIGSEGV" or "exit code 3".
  std::string name() const;
  /// "SIGSEGV (Segmentation fault)" or "exit code 3".
  std::string text() const;
};

/// A child process. It is killed and reaped on destruction. Move-only.
class Child {
 public:
  /// kNotFound with the system's message if the program cannot be started.
  static Result<Child> start(const Command& command);
  Child() = default;
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  ~Child();

  /// -1 once reaped.
  pid_t pid() const { return pid_; }
  bool is_running() const;
  /// Waits at most `patience` for the child to exit, then kills it. If it has its own group, also
  /// kills all processes of the group that are still running. Reaps it.
  Exit end(std::chrono::milliseconds patience);
  /// Waits until it exits and reaps it; if `stop` becomes true, returns empty and leaves it
  /// running.
  std::optional<Exit> wait(const std::atomic<bool>* stop);

 private:
  bool is_ours() const;
  Exit reap();
  pid_t pid_ = -1;
  bool own_group_ = false;
};

/// Names a program that restarts this one, given its path and arguments: an emulator such as
/// qemu-aarch64-static. Unset or empty: the kernel starts it directly.
inline constexpr const char* kLauncherVariable = "EDGEPROBE_WORKER_LAUNCHER";

/// A command that starts this program with `arguments`; the first one is the program's own name.
/// kTarget if a launcher is set and the path of this program cannot be read.
Result<Command> this_program(std::vector<std::string> arguments);

}  // namespace edgeprobe::process
