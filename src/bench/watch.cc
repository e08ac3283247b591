// SPDX-License-Identifier: Apache-2.0
#include "bench/watch.h"

#include "meter/power.h"
#include "meter/temperature.h"

namespace edgeprobe::bench {

Watch::Watch(meter::Root root)
    : root_(std::move(root)), start_(std::chrono::steady_clock::now()), last_(start_) {
  ticks_ = meter::cpu_ticks(root_);
  energy_ = meter::energy(root_);
  look(true);
}

double Watch::elapsed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void Watch::look(bool now) {
  constexpr auto kPause = std::chrono::milliseconds(500);
  const auto time = std::chrono::steady_clock::now();
  if (!now && time - last_ < kPause) return;
  last_ = time;
  Moment moment;
  moment.at = elapsed();
  moment.memory_percent = meter::memory_used(root_).value;
  auto ticks = meter::cpu_ticks(root_);
  moment.cpu_percent = meter::busy_percent(ticks_, ticks);
  ticks_ = std::move(ticks);
  auto energy = meter::energy(root_);
  for (auto& group : {meter::load_average(root_), meter::frequency(root_),
                      meter::temperature(root_), meter::power(root_, energy_, energy)})
    moment.readings.insert(moment.readings.end(), group.begin(), group.end());
  energy_ = std::move(energy);
  moments_.push_back(std::move(moment));
}

}  // namespace edgeprobe::bench
