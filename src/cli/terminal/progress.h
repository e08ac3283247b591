// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "cli/terminal/terminal.h"

namespace edgeprobe::cli {

/// Shows the progress of long work: a bar on a terminal, else a plain line every ten seconds. On a
/// terminal, work that reports no steps, such as a search, shows its elapsed time.
class Progress {
 public:
  Progress(Terminal& terminal, std::string title);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::size_t done, std::size_t all, const std::string& what);
  /// As a callback that refers to this object.
  std::function<void(std::size_t, std::size_t, const std::string&)> callback();

 private:
  using Clock = std::chrono::steady_clock;
  /// ", about 3 s left"; empty before an estimate is possible.
  std::string left(std::size_t done, std::size_t all, Clock::time_point now) const;
  void show_age_while_silent();
  void draw(const std::string& line);

  Terminal& terminal_;
  std::string title_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point start_ = begin_;  ///< Start of this phase.
  Clock::time_point last_ = begin_;   ///< Last time that something was shown.
  std::size_t first_ = 0;             ///< Steps done when this phase began.
  std::size_t all_ = 0;               ///< Steps of this phase; 0 before the first step.
  /// Steps done in this phase: a smaller number means that the next one has begun.
  std::size_t done_ = 0;
  bool drawn_ = false;

  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_over_ = false;
  std::thread ticker_;
};

}  // namespace edgeprobe::cli
