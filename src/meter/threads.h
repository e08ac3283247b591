// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meter/reading.h"

namespace edgeprobe::meter {

/// Scheduler statistics of some threads.
struct Scheduled {
  std::int64_t run_ns = 0;  ///< Time running on a CPU.
  /// Run delay: time ready but waiting for a CPU that was busy with something else.
  std::int64_t wait_ns = 0;
};

/// The threads of one process, by their schedstat files, which stay open so that reading takes
/// about a microsecond each. Not thread-safe.
class Threads {
 public:
  /// `process` is a number, or "self".
  Threads(const Root& root, const std::string& process);
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads();

  /// Detects new and finished threads.
  void refresh();
  /// Sums over the threads known since the last refresh(). Empty if the kernel lacks the statistics
  /// (CONFIG_SCHED_INFO) or denies access; reason() states which. A finished thread keeps its last
  /// values.
  std::optional<Scheduled> read();
  std::size_t count() const { return threads_.size(); }
  const std::string& reason() const { return reason_; }

 private:
  struct Thread {
    std::string name;
    int file = -1;
    Scheduled last;
  };
  std::filesystem::path folder_;
  std::vector<Thread> threads_;
  Scheduled gone_;  ///< Totals of finished threads.
  std::string reason_ = "absent";
};

/// CPU time and run delay of a process and of each of its threads, in seconds.
std::vector<Reading> thread_times(const Root& root, const std::string& process);

}  // namespace edgeprobe::meter
