// SPDX-License-Identifier: Apache-2.0
#include "process/wait.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <vector>

namespace edgeprobe::process {
namespace {

constexpr int kStopLookMs = 200;

bool stopped(const Wait& wait) { return wait.stop && wait.stop->load(std::memory_order_relaxed); }

/// Time until the deadline, for poll(): -1 for no limit, 0 if it has passed.
int milliseconds_left(const Wait& wait) {
  if (wait.deadline == kForever) return -1;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(wait.deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000'000));
}

int at_most(int most, int milliseconds) {
  return milliseconds < 0 ? most : std::min(milliseconds, most);
}

}  // namespace

Clock::time_point deadline_after(std::chrono::milliseconds limit) {
  return Clock::now() + std::min<std::chrono::milliseconds>(limit, std::chrono::hours(24 * 365));
}

Transfer wait_for(int fd, short events, const Wait& wait) {
  auto stop_at = kForever;
  while (true) {
    if (stopped(wait)) {
      stop_at = std::min(stop_at, deadline_after(wait.grace));
      if (Clock::now() >= stop_at) return Transfer::kStopped;
    }
    pollfd polled[4] = {{fd, events, 0},
                        {wait.beside ? wait.beside->descriptor() : -1, POLLIN, 0},
                        {wait.other_end, POLLRDHUP, 0},
                        {wait.process, POLLIN, 0}};
    const int left = milliseconds_left(wait);
    const int ready = ::poll(polled, 4, wait.stop ? at_most(kStopLookMs, left) : left);
    if (ready < 0 && errno != EINTR) return Transfer::kClosed;
    if (ready > 0 && polled[1].revents) wait.beside->drain();
    if (ready > 0 && polled[0].revents) return Transfer::kDone;
    if (ready > 0 && polled[2].revents) return Transfer::kStopped;
    if (ready > 0 && polled[3].revents) return Transfer::kClosed;
    if (left == 0) return Transfer::kLate;
  }
}

Transfer read_to_end(std::initializer_list<Output*> outputs, const Wait& wait,
                     const std::function<void()>& waiting) {
  auto called = Clock::now();
  while (true) {
    std::vector<pollfd> polled;
    for (const Output* output : outputs) polled.push_back({output->descriptor(), POLLIN, 0});
    if (std::all_of(polled.begin(), polled.end(), [](const pollfd& one) { return one.fd < 0; }))
      return Transfer::kDone;
    const int left = milliseconds_left(wait);
    const int ready = ::poll(polled.data(), polled.size(), at_most(kStopLookMs, left));
    if (stopped(wait)) return Transfer::kStopped;
    if (ready < 0 && errno != EINTR) return Transfer::kClosed;
    for (std::size_t i = 0; i < polled.size() && ready > 0; ++i)
      if (polled[i].revents) outputs.begin()[i]->drain();
    if (left == 0) return Transfer::kLate;
    if (waiting && Clock::now() - called > std::chrono::seconds(1)) {
      called = Clock::now();
      waiting();
    }
  }
}

}  // namespace edgeprobe::process
