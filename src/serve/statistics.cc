// SPDX-License-Identifier: Apache-2.0
#include "serve/statistics.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace edgeprobe::serve {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenLooks{100};
/// A connection may last for days: only the newest figures are kept.
constexpr std::size_t kMostKept = 100'000;

double seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

template <class T>
void keep(std::vector<T>& list, T value) {
  if (list.size() >= kMostKept) list.erase(list.begin(), list.begin() + kMostKept / 2);
  list.push_back(std::move(value));
}

}  // namespace

void Statistics::add_inference(std::chrono::nanoseconds latency) {
  const auto now = Clock::now();
  keep(latencies_, seconds(latency));
  keep(stamps_, seconds(now.time_since_epoch()) - seconds(latency));
  if (!last_look_ || now - *last_look_ >= kBetweenLooks) look_at_machine(now);
}

void Statistics::look_at_machine(Clock::time_point now) {
  const meter::Root root;
  Look look;
  look.seconds = seconds(now.time_since_epoch());
  if (const meter::Reading memory = meter::memory_used(root); memory.value)
    look.memory_percent = *memory.value;
  std::vector<meter::CpuTicks> ticks = meter::cpu_ticks(root);
  for (const auto& percent : meter::busy_percent(ticks_, ticks))
    look.cpu_percent.push_back(percent.value_or(0));
  ticks_ = std::move(ticks);
  // The first sample only starts the interval for CPU use.
  if (last_look_) keep(looks_, std::move(look));
  last_look_ = now;
}

std::string Statistics::to_json() const {
  auto cpus = nlohmann::ordered_json::array(), memory = cpus, stamps = cpus;
  for (const Look& look : looks_) {
    cpus.push_back(look.cpu_percent);
    memory.push_back(look.memory_percent);
    stamps.push_back(look.seconds);
  }
  const nlohmann::ordered_json value{{"target_inference_step", latencies_},
                                     {"target_inference_step_timestamp", stamps_},
                                     {"session_utilization_cpus_percent", std::move(cpus)},
                                     {"session_utilization_mem_percent", std::move(memory)},
                                     {"session_utilization_timestamp", std::move(stamps)}};
  return value.dump();
}

std::vector<protocol::DeviceFigure> Statistics::figures(
    std::optional<std::uint64_t> peak_bytes) const {
  // Kinds in g3 and g4: bytes of memory, and nanoseconds of an inference.
  constexpr std::uint64_t kMemory = 1, kInference = 2;
  std::vector<protocol::DeviceFigure> figures;
  if (peak_bytes) figures.push_back({"host_bytes_peak", kMemory, *peak_bytes});
  if (!latencies_.empty())
    figures.push_back({"target_inference_step", kInference,
                       static_cast<std::uint64_t>(latencies_.back() * 1e9 + .5)});
  return figures;
}

}  // namespace edgeprobe::serve
