// SPDX-License-Identifier: Apache-2.0
#include "engine/repeat_in_parts.h"

#include <algorithm>
#include <utility>

namespace edgeprobe::engine {
namespace {

/// Limit for very small models.
constexpr std::size_t kMostIterations = 20'000;

}  // namespace

Result<Iterations> repeat_in_parts(
    const RepeatOptions& options, const Control& control,
    const std::function<Result<Iterations>(const RepeatOptions&)>& run) {
  Iterations all;
  const auto start = std::chrono::steady_clock::now();
  while (all.iterations.size() < options.count) {
    const auto elapsed = std::chrono::steady_clock::now() - start;
    if (!all.iterations.empty() && elapsed >= options.duration) break;
    RepeatOptions part = options;
    part.count = std::min(kMostIterations, options.count - all.iterations.size());
    part.duration = std::min<std::chrono::nanoseconds>(
        options.duration - std::min<std::chrono::nanoseconds>(elapsed, options.duration),
        kRepeatPart);
    EP_TRY(auto some, run(part));
    for (Iteration& iteration : some.iterations) {
      iteration.start += elapsed;
      all.iterations.push_back(std::move(iteration));
    }
    all.no_scheduling = std::move(some.no_scheduling);
    if (control.progress) control.progress(all.iterations.size(), options.count, "inferences");
    if (control.stopped()) {
      all.stopped = true;
      break;
    }
  }
  return all;
}

}  // namespace edgeprobe::engine
