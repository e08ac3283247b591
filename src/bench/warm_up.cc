// SPDX-License-Identifier: Apache-2.0
#include "bench/phases.h"

#include <algorithm>
#include <chrono>

#include "core/text.h"
#include "stats/quantile.h"

namespace edgeprobe::bench {

Result<WarmUp> warm_up(engine::Session& session, const Inputs& inputs, double limit_s,
                       const Control& control) {
  constexpr double kWindow = 0.1, kWithin = 0.02;
  constexpr std::size_t kFewest = 5, kAlike = 3;
  WarmUp result;
  result.criterion =
      "medians of 3 windows in a row within 2 %; a window is 0.1 s of runs, at least 5; at most " +
      number(limit_s) + " s";
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  std::vector<double> medians;
  std::size_t window = kFewest;
  while (true) {
    engine::RepeatOptions options;
    options.count = window;
    options.scheduling = false;
    EP_TRY(const auto iterations, session.repeat(views(inputs[medians.size() % inputs.size()]),
                                                 options, {control.stop, {}}));
    std::vector<double> latencies;
    for (const engine::Iteration& iteration : iterations.iterations)
      latencies.push_back(seconds(iteration.latency));
    result.runs += latencies.size();
    result.seconds = seconds(Clock::now() - start);
    if (iterations.stopped || control.stopped()) return result;
    medians.push_back(stats::median(latencies));
    window = std::max(
        kFewest, static_cast<std::size_t>(std::min(1e6, kWindow / std::max(medians.back(), 1e-7))));
    if (medians.size() >= kAlike) {
      const auto [low, high] = std::minmax_element(medians.end() - kAlike, medians.end());
      result.stable = *high <= *low * (1 + kWithin);
    }
    if (result.stable || result.seconds >= limit_s) return result;
  }
}

}  // namespace edgeprobe::bench
