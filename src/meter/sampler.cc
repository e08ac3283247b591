// SPDX-License-Identifier: Apache-2.0
#include "meter/sampler.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "core/clock.h"

namespace edgeprobe::meter {

struct SensorSampler::State {
  std::vector<SensorSource> sources;
  SensorSink sink;
  std::chrono::milliseconds period;
  std::map<std::string, std::string> reasons;  // The last reason of each sensor without values.
  std::mutex mutex;
  std::condition_variable wake;
  bool stopping = false;
  std::thread thread;

  void sample() {
    for (const SensorSource& source : sources) {
      const std::vector<SensorReading> readings = source();
      const std::uint64_t now = unix_ns();
      for (const SensorReading& reading : readings) {
        if (!reading.values.empty()) {
          reasons.erase(reading.name);
        } else {
          std::string& last = reasons[reading.name];
          if (last == reading.reason && !last.empty()) continue;
          last = reading.reason;
        }
        sink(now, reading);
      }
    }
  }

  void work() {
    std::unique_lock lock(mutex);
    while (!stopping) {
      lock.unlock();
      const auto next = std::chrono::steady_clock::now() + period;
      sample();
      lock.lock();
      wake.wait_until(lock, next, [this] { return stopping; });
    }
  }
};

SensorSampler::SensorSampler(std::vector<SensorSource> sources, SensorSink sink,
                             std::chrono::milliseconds period)
    : state_(std::make_unique<State>()) {
  state_->sources = std::move(sources);
  state_->sink = std::move(sink);
  state_->period = period;
  state_->thread = std::thread([state = state_.get()] { state->work(); });
}

SensorSampler::~SensorSampler() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->wake.notify_one();
  state_->thread.join();
}

}  // namespace edgeprobe::meter
