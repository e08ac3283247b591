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

/// Work of a runner's threads, and its resources.
struct Work {
  /// One program of a plan, and the processor that runs it.
  struct Lane {
    std::vector<edgeprobe::stretch::Schedule::Action> program;
    std::vector<int> cpus;
    double slowdown = 1;  ///< Factor by which each piece is slowed down, by spinning after it.
  };
  std::vector<Lane> lanes;
  std::size_t flags = 0;
  std::vector<Binding*> pieces;  ///< Must outlive the runner.
  /// Indexed by piece, such as "piece 'a' on processor 'cpu0'".
  std::vector<std::string> sentences;
};

/// Runs the pieces of a model on several processors. The calling thread runs the first lane; each
/// other lane has its own thread, pinned to its CPUs. A thread that waits within an inference spins
/// for at most kSpin and then sleeps; between inferences it spins for about as long as the usual
/// gap, if that is at most kMostSpin. Lanes that share a CPU never spin. Not thread-safe.
class Runner {
 public:
  static constexpr std::chrono::microseconds kSpin{50}, kMostSpin{500};

  /// When a piece ran, relative to the start of the last inference.
  struct Span {
    std::chrono::nanoseconds start{0}, time{0};
  };

  /// Starts the threads and verifies that each is pinned. kTarget if one cannot be started or
  /// pinned.
  static Result<std::unique_ptr<Runner>> start(Work work);
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  ~Runner();

  /// Tells the other lanes' threads that an inference comes, so that they wake while the caller
  /// still prepares the inputs. They wait for run(), which may also come without it, or never.
  void wake();
  /// Runs one inference; pins the calling thread to the first lane's CPUs meanwhile. If a piece
  /// fails, the others stop after their current piece; the error names it.
  Status run();
  const std::vector<Span>& spans() const { return spans_; }      ///< Indexed by piece.
  std::chrono::nanoseconds latency() const { return latency_; }  ///< Latency of the last inference.

 private:
  explicit Runner(Work work);
  void serve(std::size_t lane);
  void run_program(std::size_t lane);
  Status run_piece(std::size_t lane, std::size_t piece);
  void fail(Status failure);

  void learn_gap();

  Work work_;
  std::chrono::nanoseconds spin_{0};
  /// Usual time between two inferences, and the spin between them.
  std::chrono::nanoseconds gap_{0};
  std::atomic<std::chrono::nanoseconds> spin_between_{spin_};
  bool woken_ = false;
  /// The plan's flags, then one per lane, set when its program is done.
  std::vector<Flag> flags_;
  Flag rise_, begin_;
  std::uint32_t inference_ = 0;
  std::chrono::steady_clock::time_point start_, end_;
  std::chrono::nanoseconds latency_{0};
  std::vector<Span> spans_;
  std::atomic<bool> failed_{false}, ended_{false};
  std::mutex failure_lock_;
  Status failure_;
  std::vector<std::thread> threads_;
};

}  // namespace edgeprobe::engine::stretch
