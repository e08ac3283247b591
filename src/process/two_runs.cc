// SPDX-License-Identifier: Apache-2.0
#include "process/two_runs.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <utility>

namespace edgeprobe::process {
namespace {

using namespace std::chrono_literals;

/// How often the user's stop is looked for.
constexpr auto kLook = 20ms;

}  // namespace

bool TwoRuns::must_end(Side side, std::size_t sample) const {
  const auto& failed = failed_at_[side == kFirst ? kSecond : kFirst];
  // The first side runs the other's sample too: its error would count.
  return (stop_ && stop_->load(std::memory_order_relaxed)) ||
         (failed && (side == kFirst ? *failed < sample : *failed <= sample));
}

bool TwoRuns::begin(Side side, std::size_t sample) {
  const Side other = side == kFirst ? kSecond : kFirst;
  std::unique_lock lock(mutex_);
  at_[side] = sample;
  drop_passed();
  changed_.notify_all();
  while (!must_end(side, sample) && !gone_[other] && at_[other] != kOver &&
         at_[other] + kAhead <= sample)
    changed_.wait_for(lock, kLook);
  if (!must_end(side, sample)) return true;
  ended_[side] = true;
  return false;
}

void TwoRuns::drop_passed() {
  std::size_t least = kOver;
  for (const Side side : {kFirst, kSecond})
    if (!gone_[side]) least = std::min(least, at_[side]);
  slots_.erase(slots_.begin(), slots_.lower_bound(least));
}

void TwoRuns::read(std::size_t sample, std::unique_lock<std::mutex>& lock) {
  slots_.emplace(sample, Slot{});
  lock.unlock();
  std::shared_ptr<const void> content;
  try {
    content = read(sample);
  } catch (...) {  // Out of memory: the other run must not wait for it.
    lock.lock();
    slots_.erase(sample);
    changed_.notify_all();
    throw;
  }
  lock.lock();
  if (const auto slot = slots_.find(sample); slot != slots_.end())
    slot->second = {State::kRead, std::move(content)};
  changed_.notify_all();
}

std::shared_ptr<const void> TwoRuns::content(std::size_t sample) {
  std::unique_lock lock(mutex_);
  while (true) {
    const auto slot = slots_.find(sample);
    if (slot == slots_.end()) {
      read(sample, lock);
      continue;
    }
    if (slot->second.state == State::kRead) return slot->second.content;
    // The other run reads it: reads the next one meanwhile, so that neither waits later.
    std::size_t next = sample + 1;
    while (next < sample + kAhead && slots_.count(next)) ++next;
    if (has_cpus_for_both_ && next < std::min(sample + kAhead, samples_)) read(next, lock);
    else changed_.wait(lock);
  }
}

std::unique_lock<std::mutex> TwoRuns::turn() {
  return has_cpus_for_both_ ? std::unique_lock<std::mutex>()
                            : std::unique_lock<std::mutex>(inferring_);
}

void TwoRuns::pass_is_over(Side side) {
  const std::lock_guard lock(mutex_);
  at_[side] = kOver;
  drop_passed();
  changed_.notify_all();
}

void TwoRuns::ends(Side side, bool failed) {
  const Side other = side == kFirst ? kSecond : kFirst;
  const std::lock_guard lock(mutex_);
  gone_[side] = true;
  if (failed) {
    failed_at_[side] = at_[side];
    // Beyond that sample nothing that the other run finds counts. In the passes after the first,
    // which have no common order, an error of the first side counts.
    if (at_[side] < at_[other] || (at_[side] == at_[other] && side == kFirst)) ended_[other] = true;
  }
  drop_passed();
  changed_.notify_all();
}

void TwoRuns::run(const std::function<bool()>& first, const std::function<bool()>& second) {
  const auto ran = [this](Side side, const std::function<bool()>& work) {
    bool failed = true;
    const std::shared_ptr<void> end(nullptr, [&](void*) { ends(side, failed); });
    failed = !work();
  };
  const auto started = [&](Side side, const std::function<bool()>& work) {
    return std::async(std::launch::async, [&, side] { ran(side, work); });
  };
  auto one = started(kFirst, first), other = started(kSecond, second);
  for (const auto* const work : {&one, &other})
    while (work->wait_for(kLook) != std::future_status::ready)
      if (stop_ && stop_->load(std::memory_order_relaxed)) ended_[kFirst] = ended_[kSecond] = true;
  one.get();
  other.get();
}

std::optional<TwoRuns::Side> TwoRuns::failed() const {
  const std::lock_guard lock(mutex_);
  const auto &first = failed_at_[kFirst], &second = failed_at_[kSecond];
  if (!second) return first ? std::optional(kFirst) : std::nullopt;
  return first && !ended_[kFirst] && *first <= *second ? kFirst : kSecond;
}

}  // namespace edgeprobe::process
