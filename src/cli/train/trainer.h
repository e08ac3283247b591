// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/terminal/terminal.h"
#include "core/descriptor.h"
#include "core/result.h"
#include "process/child.h"
#include "process/output.h"
#include "process/wait.h"

namespace edgeprobe::cli {

/// The process of a main.py of python/edgeprobe (train/process.py). It reads requests and writes
/// messages, each one JSON value a line, and ends when this process is gone. Ctrl-C reaches it as
/// SIGINT, after which it writes a checkpoint.
class Trainer {
 public:
  /// `folder`: of its main.py in the package. kNotFound if the interpreter cannot be started.
  static Result<Trainer> start(const char* folder, const std::string& interpreter,
                               Terminal& terminal);

  /// Messages that come before an answer.
  struct Listener {
    std::function<void(std::size_t done, std::size_t all, const std::string& what)> progress;
    std::function<void(const nlohmann::ordered_json& row, bool before)> row;
    /// A note or a warning.
    std::function<void(const std::string& sentence, bool is_warning)> sentence;
  };
  /// Sends a request and waits for its answer. Errors of the trainer keep their kind; kTarget if
  /// its process ends without an answer.
  Result<nlohmann::ordered_json> ask(const nlohmann::ordered_json& request,
                                     const Listener& listener);

 private:
  explicit Trainer(Terminal& terminal) : terminal_(&terminal) {}
  /// The next line of its output; empty once it is closed.
  std::string next_line();
  Error ended();

  Terminal* terminal_;
  process::Child child_;
  Descriptor requests_;
  std::unique_ptr<process::Output> output_, errors_;
  std::string pending_;
  bool is_told_ = false;  ///< SIGINT was sent.
  process::Clock::time_point told_;
};

}  // namespace edgeprobe::cli
