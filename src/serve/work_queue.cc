// SPDX-License-Identifier: Apache-2.0
#include "serve/work_queue.h"

#include <utility>

namespace edgeprobe::serve {
namespace {

constexpr std::size_t kMostRequests = 64;
/// A single longer request is accepted if nothing else is queued.
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;

}  // namespace

bool WorkQueue::push(protocol::Message message) {
  const auto came = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] {
    return closed_ || queue_.empty() ||
           (queue_.size() < kMostRequests && bytes_ + message.payload.size() <= kMostBytes);
  });
  if (closed_) return false;
  bytes_ += message.payload.size();
  queue_.push_back({std::move(message), came});
  changed_.notify_all();
  return true;
}

std::optional<Work> WorkQueue::pop() {
  std::unique_lock lock(mutex_);
  busy_ = false;
  changed_.notify_all();
  changed_.wait(lock, [&] { return closed_ || !queue_.empty(); });
  if (queue_.empty()) return std::nullopt;
  Work work = std::move(queue_.front());
  queue_.pop_front();
  bytes_ -= work.message.payload.size();
  busy_ = true;
  changed_.notify_all();
  return work;
}

bool WorkQueue::is_idle() {
  const std::lock_guard lock(mutex_);
  return queue_.empty() && !busy_;
}

bool WorkQueue::wait_until_idle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return closed_ || (queue_.empty() && !busy_); });
  return !closed_;
}

void WorkQueue::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

void WorkQueue::abandon() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  queue_.clear();
  bytes_ = 0;
  changed_.notify_all();
}

}  // namespace edgeprobe::serve
