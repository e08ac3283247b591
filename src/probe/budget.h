// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "probe/options.h"

namespace edgeprobe::probe {

/// Reports when a recording exceeds its budget of time or bytes. The budgets are averages; a burst
/// of up to ten seconds' worth is allowed. Thread-safe.
class Budget {
 public:
  Budget(const Options& options, std::uint64_t now_ns);
  /// False if no limit is set; add() need not be called then.
  bool is_limited() const { return time_share_ > 0 || bytes_per_second_ > 0; }
  /// Charges a frame. Returns the reason to lower the level if the budget is exceeded; the account
  /// then starts again.
  std::optional<std::string> add(std::uint64_t bytes, std::uint64_t time_ns, std::uint64_t now_ns);

 private:
  void start_anew();
  const double time_share_, bytes_per_second_;
  std::mutex mutex_;
  std::uint64_t last_ns_;
  double seconds_, bytes_;  ///< The remaining budget.
};

}  // namespace edgeprobe::probe
