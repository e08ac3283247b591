// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace edgeprobe::cli {

/// Calls make(i) for i = 0 … count - 1 on `threads` threads, and take(i, result) in this order on
/// the caller's thread until it returns false. At most `ahead` results wait, which bounds memory.
template <class Made, class Make, class Take>
void in_order(std::size_t count, std::size_t threads, std::size_t ahead, Make&& make, Take&& take) {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::optional<Made>> waiting(ahead);
  std::size_t next = 0, taken = 0;
  bool is_over = false;
  const auto work = [&] {
    while (true) {
      std::size_t mine = 0;
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return is_over || next >= count || next < taken + ahead; });
        if (is_over || next >= count) return;
        mine = next++;
      }
      Made made = make(mine);
      {
        const std::lock_guard lock(mutex);
        waiting[mine % ahead] = std::move(made);
      }
      changed.notify_all();
    }
  };
  std::vector<std::jthread> workers;
  for (std::size_t i = 0; i < std::min(threads, count); ++i) workers.emplace_back(work);
  for (std::size_t i = 0; i < count; ++i) {
    std::optional<Made> made;
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return waiting[i % ahead].has_value(); });
      made = std::exchange(waiting[i % ahead], std::nullopt);
      taken = i + 1;
    }
    changed.notify_all();
    if (take(i, *std::move(made))) continue;
    break;
  }
  {
    const std::lock_guard lock(mutex);
    is_over = true;
  }
  changed.notify_all();
}

}  // namespace edgeprobe::cli
