// SPDX-License-Identifier: Apache-2.0
#include "engine/kenning/times.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/nesting.h"

namespace edgeprobe::engine::kenning {
namespace {

constexpr std::size_t kDeepest = 32;
constexpr double kMostSeconds = 1e6;

}  // namespace

std::vector<std::chrono::nanoseconds> inference_times(ByteView statistics) {
  if (nesting_of(statistics.text()) > kDeepest) return {};
  const auto json = nlohmann::json::parse(statistics.text(), nullptr, false);
  if (!json.is_object()) return {};
  const auto found = json.find("target_inference_step");
  if (found == json.end() || !found->is_array()) return {};
  std::vector<std::chrono::nanoseconds> times;
  for (const auto& one : *found) {
    const double seconds = one.is_number() ? one.get<double>() : -1;
    if (!(seconds >= 0) || seconds > kMostSeconds) return {};
    times.emplace_back(std::llround(seconds * 1e9));
  }
  return times;
}

}  // namespace edgeprobe::engine::kenning
