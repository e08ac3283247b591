// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

/// What each thread of a runner is currently running, for the last message of an engine process.
namespace edgeprobe::engine::stretch {

inline constexpr std::size_t kMostLanes = 64;

/// From now on, a crash of this process and the signal kTellRunning first print what was running:
/// in the thread that crashed, else in all threads. Only for engine processes: an app has its own
/// handlers.
void tell_running_when_killed();

/// While it exists, marks the calling thread's work as that of lane `lane`.
class Running {
 public:
  /// `sentence` must outlive it.
  Running(std::size_t lane, const char* sentence);
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running();

 private:
  std::size_t lane_;
};

}  // namespace edgeprobe::engine::stretch
