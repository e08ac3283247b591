// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "probe/options.h"

namespace edgeprobe::probe {

/// Tells when a recording has cost more than it may: time and bytes as an average that may run
/// ahead by what ten seconds earn. Thread-safe.
class Budget {
 public:
  Budget(const Options& options, std::uint64_t now_ns);
  /// False: neither limit is set, and add() need not be called.
  bool is_limited() const { return time_share_ > 0 || bytes_per_second_ > 0; }
  /// What a frame cost. The reason to step the level down; the account then starts anew.
  std::optional<std::string> add(std::uint64_t bytes, std::uint64_t time_ns, std::uint64_t now_ns);

 private:
  void start_anew();
  const double time_share_, bytes_per_second_;
  std::mutex mutex_;
  std::uint64_t last_ns_;
  double seconds_, bytes_;  ///< What may still be spent.
};

}  // namespace edgeprobe::probe
