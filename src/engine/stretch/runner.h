// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/result.h"
#include "engine/binding.h"
#include "engine/stretch/flag.h"
#include "stretch/schedule.h"

namespace edgeprobe::engine::stretch {

/// What the threads of a runner do, and with what.
struct Work {
  /// One program of a plan, and the processor that it runs on.
  struct Lane {
    std::vector<edgeprobe::stretch::Schedule::Action> program;
    std::vector<int> cpus;
    double slowdown = 1;  ///< Each piece takes so many times as long, by spinning behind it.
  };
  std::vector<Lane> lanes;
  std::size_t flags = 0;
  std::vector<Binding*> pieces;        ///< They outlive the runner.
  std::vector<std::string> sentences;  ///< By piece: "piece 'a' on processor 'cpu0'".
};

/// Runs the pieces of a model on several processors. The first lane is run by the thread that
/// calls, each other by a thread of its own, kept on its CPUs for ever. A thread that waits spins
/// at most kSpin and then sleeps; where lanes share a CPU nobody spins. Not thread-safe.
class Runner {
 public:
  static constexpr std::chrono::microseconds kSpin{50};

  /// When a piece ran in the last inference, since that began.
  struct Span {
    std::chrono::nanoseconds start{0}, time{0};
  };

  /// kTarget when a thread cannot be started or kept on its CPUs, which is read back.
  static Result<std::unique_ptr<Runner>> start(Work work);
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  ~Runner();

  /// One inference; the calling thread has the CPUs of the first lane for as long as it takes. A
  /// piece that fails ends the others behind their current piece; the sentence names it.
  Status run();
  const std::vector<Span>& spans() const { return spans_; }      ///< By piece.
  std::chrono::nanoseconds latency() const { return latency_; }  ///< Of the last inference.

 private:
  explicit Runner(Work work);
  void serve(std::size_t lane);
  void run_program(std::size_t lane);
  Status run_piece(std::size_t lane, std::size_t piece);
  void fail(Status failure);

  Work work_;
  std::chrono::nanoseconds spin_{0};
  std::vector<Flag> flags_;  ///< Of the plan, then one a lane: its program is done.
  Flag begin_;
  std::uint32_t inference_ = 0;
  std::chrono::steady_clock::time_point start_;
  std::chrono::nanoseconds latency_{0};
  std::vector<Span> spans_;
  std::atomic<bool> failed_{false}, ended_{false};
  std::mutex failure_lock_;
  Status failure_;
  std::vector<std::thread> threads_;
};

}  // namespace edgeprobe::engine::stretch
