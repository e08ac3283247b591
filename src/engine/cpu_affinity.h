// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "core/result.h"
#include "engine/engine.h"

namespace edgeprobe::engine {

/// kUsage for a CPU that the calling thread may not use.
Status check_cpus(const std::vector<int>& cpus);

/// Keeps the calling thread on some CPUs and gives it its former ones back when it goes.
class CpuPin {
 public:
  CpuPin();
  CpuPin(const CpuPin&) = delete;
  CpuPin& operator=(const CpuPin&) = delete;
  ~CpuPin();

  /// Sets the affinity, once. kUsage if a CPU is not in the thread's mask.
  Status to(const std::vector<int>& cpus);

 private:
  struct Mask;
  std::unique_ptr<Mask> before_;  ///< Null where nothing was moved.
};

/// Keeps a thread of this process, by its kernel's number, on these CPUs. Threads that a runtime
/// has just started may set their own CPUs once more, so this is tried again for 0.2 s; one that
/// has ended meanwhile is none to keep.
Status pin_thread(int thread, const std::vector<int>& cpus);

/// The same engine, whose sessions load and run on SessionOptions::cpus: the calling thread is kept
/// on them for the length of each call, and so is every thread that the runtime starts meanwhile.
/// kUsage for a CPU that this process does not have.
std::unique_ptr<Engine> with_cpu_affinity(std::unique_ptr<Engine> engine);

}  // namespace edgeprobe::engine
