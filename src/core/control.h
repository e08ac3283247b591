// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>

#include "core/result.h"

namespace edgeprobe {

/// Progress and cancellation of long work.
struct Control {
  const std::atomic<bool>* stop = nullptr;
  std::function<void(std::size_t done, std::size_t all, const std::string& what)> progress;
  bool stopped() const { return stop && stop->load(std::memory_order_relaxed); }
};

inline Error interrupted() { return {ErrorKind::kInterrupted, "stopped by the user"}; }

}  // namespace edgeprobe
