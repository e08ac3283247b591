// SPDX-License-Identifier: Apache-2.0
#include "meter/power_integral.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "meter/power.h"

namespace edgeprobe::meter {

void PowerIntegral::look(Moment when, const std::vector<Reading>& gauges) {
  for (const Reading& reading : gauges) {
    const auto [at, is_new] = gauges_.try_emplace(reading.name);
    Gauge& gauge = at->second;
    gauge.source = reading.source;
    if (reading.value && *reading.value < 0)
      gauge.reason = "it shows less than 0: a battery that is being charged?";
    else if (!reading.value) gauge.reason = reading.reason;
    // A missed sample makes the sum invalid from then on.
    if (!gauge.reason.empty()) continue;
    if (!is_new && *reading.value == gauge.watts) continue;
    if (!is_new)
      gauge.joules += gauge.watts * std::chrono::duration<double>(when - gauge.since).count();
    gauge.watts = *reading.value;
    gauge.since = when;
  }
}

std::vector<EnergyCounter> PowerIntegral::counters() const {
  std::vector<EnergyCounter> counters;
  for (const auto& [name, gauge] : gauges_) {
    EnergyCounter counter{"gauge " + name, gauge.source, std::nullopt, std::nullopt, gauge.reason};
    if (gauge.reason.empty()) counter.microjoules = static_cast<std::int64_t>(gauge.joules * 1e6);
    counters.push_back(std::move(counter));
  }
  return counters;
}

struct PowerSampler::State {
  Root root;
  mutable std::mutex mutex;
  std::condition_variable told;
  bool stop = false;
  PowerIntegral integral;
  std::thread thread;
};

PowerSampler::PowerSampler(Root root, std::chrono::milliseconds period)
    : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.root = std::move(root);
  state.integral.look(std::chrono::steady_clock::now(), power_now(state.root));
  state.thread = std::thread([&state, period] {
    std::unique_lock<std::mutex> lock(state.mutex);
    while (!state.told.wait_for(lock, period, [&state] { return state.stop; })) {
      lock.unlock();
      const std::vector<Reading> gauges = power_now(state.root);
      const auto now = std::chrono::steady_clock::now();
      lock.lock();
      state.integral.look(now, gauges);
    }
  });
}

PowerSampler::~PowerSampler() {
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    state_->stop = true;
  }
  state_->told.notify_one();
  state_->thread.join();
}

std::vector<EnergyCounter> PowerSampler::counters() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->integral.counters();
}

}  // namespace edgeprobe::meter
