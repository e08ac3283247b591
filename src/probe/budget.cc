// SPDX-License-Identifier: Apache-2.0
#include "probe/budget.h"

#include <algorithm>

#include "core/text.h"

namespace edgeprobe::probe {
namespace {

constexpr double kAheadSeconds = 10, kStartSeconds = 1;

}  // namespace

Budget::Budget(const Options& options, std::uint64_t now_ns)
    : time_share_(options.time_share),
      bytes_per_second_(static_cast<double>(options.bytes_per_second)),
      last_ns_(now_ns) {
  start_anew();
}

void Budget::start_anew() {
  seconds_ = time_share_ * kStartSeconds;
  bytes_ = bytes_per_second_ * kStartSeconds;
}

std::optional<std::string> Budget::add(std::uint64_t bytes, std::uint64_t time_ns,
                                       std::uint64_t now_ns) {
  const std::lock_guard lock(mutex_);
  const double passed = now_ns > last_ns_ ? static_cast<double>(now_ns - last_ns_) * 1e-9 : 0;
  last_ns_ = std::max(last_ns_, now_ns);
  seconds_ = std::min(seconds_ + passed * time_share_, kAheadSeconds * time_share_) -
             static_cast<double>(time_ns) * 1e-9;
  bytes_ = std::min(bytes_ + passed * bytes_per_second_, kAheadSeconds * bytes_per_second_) -
           static_cast<double>(bytes);
  std::optional<std::string> reason;
  if (time_share_ > 0 && seconds_ < 0)
    reason = "more than " + percent(time_share_) + " of the time was spent in the probe";
  else if (bytes_per_second_ > 0 && bytes_ < 0)
    reason = "more than " + bytes_text(bytes_per_second_) + " a second were recorded";
  if (reason) start_anew();
  return reason;
}

}  // namespace edgeprobe::probe
