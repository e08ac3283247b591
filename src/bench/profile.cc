// SPDX-License-Identifier: Apache-2.0
#include "bench/phases.h"

#include <algorithm>
#include <chrono>

#include "stats/quantile.h"

namespace edgeprobe::bench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kFewestPairs = 10, kMostPairs = 200;
constexpr double kBlock = 0.05;  ///< Seconds of runs in a block; at least 3 runs.
constexpr std::size_t kKeptInFull = 20, kMostRuns = 2000, kFewestQuiet = 20;

}  // namespace

Result<Profile> profiled(const Model& model, const engine::SessionOptions& options,
                         engine::Session& plain, const Inputs& inputs, const Plan& plan,
                         const Control& control) {
  engine::SessionOptions with_times = options;
  with_times.profile = true;
  EP_TRY(auto recording, load(model, with_times));
  EP_CHECK(warm_up(*recording.session, inputs, plan.warm_up_limit, control));
  const std::vector<TensorView> views(inputs.front().begin(), inputs.front().end());

  Profile profile;
  std::vector<double> ratios, all_plain, all_profiled;
  std::vector<std::vector<engine::OpTime>> op_times;
  const auto start = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  profile.runs_a_block = 3;
  while (profile.pairs < kMostPairs && !control.stopped()) {
    if (profile.pairs >= kFewestPairs &&
        (plan.runs ? op_times.size() >= *plan.runs : elapsed() >= plan.duration))
      break;
    if (op_times.size() >= kMostRuns && profile.pairs >= kFewestPairs) break;
    std::vector<double> block[2], disturbed[2];
    for (const int turn : {0, 1}) {
      const bool records = (profile.pairs % 2 == 0) == (turn == 1);
      engine::RepeatOptions repeat;
      repeat.count = profile.runs_a_block;
      const double offset = elapsed();
      EP_TRY(auto iterations, (records ? *recording.session : plain).repeat(views, repeat));
      for (engine::Iteration& iteration : iterations.iterations) {
        const double latency = std::chrono::duration<double>(iteration.latency).count();
        const bool noisy =
            iteration.run_delay && std::chrono::duration<double>(*iteration.run_delay).count() >
                                       plan.noisy_share * latency;
        (noisy ? disturbed : block)[records].push_back(latency);
        (records ? all_profiled : all_plain).push_back(latency);
        if (!records) continue;
        Run run{offset + std::chrono::duration<double>(iteration.start).count(), latency,
                std::nullopt, std::nullopt, true};
        if (iteration.run_delay)
          run.run_delay = std::chrono::duration<double>(*iteration.run_delay).count();
        run.quiet = !noisy;
        profile.runs.push_back(run);
        if (profile.first_runs.size() < kKeptInFull)
          profile.first_runs.push_back(iteration.op_times);
        op_times.push_back(std::move(iteration.op_times));
      }
    }
    // Use quiet runs if a block has any.
    const double without = stats::median(block[0].empty() ? disturbed[0] : block[0]);
    const double with = stats::median(block[1].empty() ? disturbed[1] : block[1]);
    if (without > 0) ratios.push_back(with / without);
    ++profile.pairs;
    profile.runs_a_block =
        std::clamp<std::size_t>(static_cast<std::size_t>(kBlock / std::max(without, 1e-7)), 3, 100);
    if (control.progress)
      control.progress(profile.pairs, std::max(kFewestPairs, profile.pairs + 1),
                       "pairs of plain and profiled blocks");
  }
  if (op_times.empty()) return interrupted();
  profile.plain = stats::median(all_plain);
  profile.profiled = stats::median(all_profiled);
  std::sort(ratios.begin(), ratios.end());
  if (!ratios.empty())
    profile.ratio = stats::quantile_with_interval(ratios, 0.5, static_cast<double>(ratios.size()));
  if (op_times.front().empty()) return profile;
  // Leaves out noisy runs: the time slice of another process is a thousand times as long as a small
  // kernel.
  std::vector<std::vector<engine::OpTime>> quiet;
  for (std::size_t i = 0; i < op_times.size(); ++i)
    if (profile.runs[i].quiet) quiet.push_back(op_times[i]);
  if (quiet.size() >= kFewestQuiet) {
    profile.left_out = op_times.size() - quiet.size();
    op_times = std::move(quiet);
  }
  profile.times = layer_times(op_times, model.graph ? &*model.graph : nullptr);
  return profile;
}

}  // namespace edgeprobe::bench
