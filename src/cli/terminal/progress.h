// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "cli/terminal/terminal.h"

namespace edgeprobe::cli {

/// Shows how far long work is: a bar on a terminal, otherwise a plain line every ten seconds.
class Progress {
 public:
  Progress(Terminal& terminal, std::string title) : terminal_(terminal), title_(std::move(title)) {}
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::size_t done, std::size_t all, const std::string& what);
  /// As a callback that refers to this object.
  std::function<void(std::size_t, std::size_t, const std::string&)> callback();

 private:
  Terminal& terminal_;
  std::string title_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), last_ = start_;
  std::size_t done_ = 0;  ///< Of this phase: where it falls, the next one has begun.
  bool drawn_ = false;
};

}  // namespace edgeprobe::cli
