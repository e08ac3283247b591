// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "core/result.h"
#include "engine/engine.h"

namespace edgeprobe::engine {

/// kUsage for a CPU that the calling thread may not use.
Status check_cpus(const std::vector<int>& cpus);

/// Pins the calling thread to some CPUs; the destructor restores its former mask.
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
  std::unique_ptr<Mask> before_;  ///< Null if the affinity was not changed.
};

/// Pins a thread of this process, given by its kernel id, to these CPUs. A newly started runtime
/// thread may still set its own CPUs, so this retries for 0.2 s. A thread that has exited meanwhile
/// is ignored.
Status pin_thread(int thread, const std::vector<int>& cpus);

/// Wraps an engine: its sessions load and run on SessionOptions::cpus. Each call pins the calling
/// thread to them, and every thread that the runtime starts meanwhile. kUsage for a CPU that this
/// process does not have.
std::unique_ptr<Engine> with_cpu_affinity(std::unique_ptr<Engine> engine);

}  // namespace edgeprobe::engine
