// SPDX-License-Identifier: Apache-2.0
#include "engine/stretch/running.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>

#include "engine/worker_process.h"

namespace edgeprobe::engine::stretch {
namespace {

// Constant-initialised and lock-free because signal handlers read it.
constinit std::array<std::atomic<const char*>, kMostLanes> running{};
constinit thread_local const char* own = nullptr;

void print(const char* sentence) {
  constexpr const char* kEnd = " was running\n";
  // A failed write cannot be handled here.
  if (::write(STDERR_FILENO, sentence, std::strlen(sentence)) < 0) return;
  if (::write(STDERR_FILENO, kEnd, std::strlen(kEnd)) < 0) return;
}

void tell(int signal) {
  if (signal != kTellRunning && own) print(own);
  else
    for (const auto& lane : running)
      if (const char* const sentence = lane.load(std::memory_order_relaxed)) print(sentence);
  // SA_RESETHAND restored the default action when this handler began.
  ::raise(signal);
}

}  // namespace

void tell_running_when_killed() {
  struct sigaction action {};
  action.sa_handler = tell;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, kTellRunning})
    ::sigaction(signal, &action, nullptr);
}

Running::Running(std::size_t lane, const char* sentence) : lane_(lane) {
  own = sentence;
  if (lane_ < kMostLanes) running[lane_].store(sentence, std::memory_order_relaxed);
}

Running::~Running() {
  own = nullptr;
  if (lane_ < kMostLanes) running[lane_].store(nullptr, std::memory_order_relaxed);
}

}  // namespace edgeprobe::engine::stretch
