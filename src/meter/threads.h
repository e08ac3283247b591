// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meter/reading.h"

namespace edgeprobe::meter {

/// How the scheduler treated some threads.
struct Scheduled {
  std::int64_t run_ns = 0;  ///< They had a CPU.
  /// Run delay: they were ready and waited for a CPU, because something else had it.
  std::int64_t wait_ns = 0;
};

/// The threads of one process, by their schedstat files, which it keeps open so that reading takes
/// about a microsecond each. Not thread-safe.
class Threads {
 public:
  /// `process` is a number, or "self".
  Threads(const Root& root, const std::string& process);
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads();

  /// Looks for threads that came or went.
  void refresh();
  /// The sums over the threads known since the last refresh(). Nothing when the kernel does not
  /// tell (CONFIG_SCHED_INFO) or may not; reason() says which. A thread that ended keeps its last
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
  Scheduled gone_;  ///< Of threads that ended.
  std::string reason_ = "absent";
};

/// CPU time and run delay of a process and of each of its threads, in seconds.
std::vector<Reading> thread_times(const Root& root, const std::string& process);

}  // namespace edgeprobe::meter
