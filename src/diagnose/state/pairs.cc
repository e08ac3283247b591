// SPDX-License-Identifier: Apache-2.0
#include "diagnose/state/pairs.h"

#include <algorithm>
#include <map>

namespace edgeprobe::diagnose::state {
namespace {

/// Minimum number of copies with distinct values for a pair, and their minimum fraction of all
/// steps.
constexpr std::size_t kLeastCopies = 3;
constexpr double kMost = 0.5;

}  // namespace

std::optional<std::size_t> output_of(const Recording& recording, const Series& fed) {
  std::optional<std::size_t> found;
  for (std::size_t output = 0; output < recording.outputs.size(); ++output) {
    const Series& made = recording.outputs[output].made;
    std::size_t copies = 0, steps = 0;
    const Values* last = nullptr;
    for (std::size_t step = 1; step < recording.steps(); ++step) {
      if (recording.frames[step] != recording.frames[step - 1] + 1 || recording.begins[step] ||
          !fed[step] || !made[step - 1])
        continue;
      ++steps;
      // NaN equals nothing here, since it does not identify an output.
      if (*fed[step] != *made[step - 1]) continue;
      if (!last || *last != *fed[step]) ++copies;
      last = &*fed[step];
    }
    if (copies < kLeastCopies || double(copies) < kMost * double(steps)) continue;
    if (found) return std::nullopt;
    found = output;
  }
  return found;
}

Values initial_of(const Recording& recording, const Series& fed, const Values& zero) {
  std::vector<std::pair<const Values*, std::size_t>> seen;
  for (std::size_t step = 0; step < recording.steps(); ++step) {
    if (!recording.begins[step] || !fed[step]) continue;
    const auto like = std::find_if(seen.begin(), seen.end(),
                                   [&](const auto& one) { return *one.first == *fed[step]; });
    if (like == seen.end()) seen.emplace_back(&*fed[step], 1);
    else ++like->second;
  }
  const Values* best = nullptr;
  std::size_t most = 0;
  for (const auto& [value, count] : seen)
    if (count > most || (count == most && *value == zero)) {
      best = value;
      most = count;
    }
  return best ? *best : zero;
}

}  // namespace edgeprobe::diagnose::state
