// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

/// What each thread of a runner runs at this moment, for the last words of an engine process.
namespace edgeprobe::engine::stretch {

inline constexpr std::size_t kMostLanes = 64;

/// From now on a crash of this process, and the signal kTellRunning, first print what ran: of the
/// thread that crashed, else of all. For engine processes alone: an app has its own handlers.
void tell_running_when_killed();

/// Marks what the calling thread runs as lane `lane` while it lives.
class Running {
 public:
  /// `sentence` outlives it.
  Running(std::size_t lane, const char* sentence);
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running();

 private:
  std::size_t lane_;
};

}  // namespace edgeprobe::engine::stretch
