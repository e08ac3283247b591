// SPDX-License-Identifier: Apache-2.0
#include "placement/profile/profile.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "bench/phases.h"
#include "pipeline/spec.h"
#include "placement/search/session_energy.h"
#include "placement/search/timing.h"
#include "stats/quantile.h"

namespace edgeprobe::placement {
namespace {

/// How long to wait for quiet runs, as a multiple of the requested seconds.
constexpr double kLongest = 5;
constexpr std::size_t kMostRuns = 1'000'000;
/// With several inputs, each runs for at least this many seconds in turn, so that threads stay
/// awake; at most this many turns fit into the requested seconds.
constexpr double kTurn = 0.05, kTurns = 20;
/// Inputs are prepared once for all processes; only the first ones are compared.
constexpr std::size_t kCompared = 20;

/// Starts an engine process with the model loaded.
Result<std::unique_ptr<engine::Session>> load(const Profiled& model,
                                              const engine::EngineChoice& choice,
                                              const engine::SessionOptions& options) {
  EP_TRY(auto engine, engine::open_supervised(choice));
  EP_CHECK(pipeline::check_engine(engine->identity(), options, model.format, model.label));
  return engine->load(model.file, model.label, options);
}

Status compare(engine::Session& session, const Profiled& model, bench::Inputs inputs,
               Figures& figures, const Control& control) {
  auto reference = load(model, model.reference, model.reference_options);
  if (!reference) {
    figures.no_difference = std::move(reference.error().what);
    return {};
  }
  // A model with a state has already processed the first input once.
  if (const auto first = (*reference)->infer(bench::views(inputs.front())); !first) {
    figures.no_difference = first.error().what;
    return {};
  }
  inputs.resize(std::min(inputs.size(), kCompared));
  auto found = difference(session, **reference, inputs, control);
  if (!found && found.error().kind == ErrorKind::kInterrupted) return std::move(found).error();
  if (found) figures.difference = *std::move(found);
  else figures.no_difference = std::move(found.error().what);
  return {};
}

/// Timed runs that cycle through the inputs.
Result<Latencies> timed(engine::Session& session, const bench::Inputs& inputs, double seconds,
                        const Control& control) {
  using Clock = std::chrono::steady_clock;
  std::vector<engine::Iteration> runs;
  Latencies latencies;
  const Clock::time_point start = Clock::now();
  for (std::size_t at = 0;; ++at) {
    const double spent = bench::seconds(Clock::now() - start);
    const bool few = latencies.quiet.size() < kFewestQuiet && spent < kLongest * seconds;
    if (!runs.empty() && spent >= seconds && !few) return latencies;
    const double left = (spent < seconds ? 1 : kLongest) * seconds - spent;
    const double turn = inputs.size() > 1 ? std::max(kTurn, seconds / kTurns) : seconds;
    engine::RepeatOptions options;
    options.count = kMostRuns;
    options.duration =
        std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(turn, left) * 1e9) + 1);
    EP_TRY(auto repeated,
           session.repeat(bench::views(inputs[at % inputs.size()]), options, {control.stop, {}}));
    if (repeated.stopped || control.stopped()) return interrupted();
    std::move(repeated.iterations.begin(), repeated.iterations.end(), std::back_inserter(runs));
    // Recompute all: whether a run was quiet depends on the next run, possibly in another turn.
    latencies = {};
    latencies.add(runs);
  }
}

void tell(Figures& figures, const Latencies& latencies) {
  std::vector<double> told = latencies.told();
  std::sort(told.begin(), told.end());
  const double median = stats::quantile(told, 0.5);
  // The fastest process counts.
  if (figures.runs > 0 && median >= figures.median) return;
  figures.runs = latencies.all.size();
  figures.quiet = latencies.quiet.size();
  figures.median = median;
  figures.min = told.front();
  figures.p10 = stats::quantile(told, 0.1);
  figures.p90 = stats::quantile(told, 0.9);
  figures.p99 = stats::quantile(told, 0.99);
  figures.cpu.reset();
  if (latencies.cpu > 0) figures.cpu = latencies.cpu / static_cast<double>(figures.runs);
}

}  // namespace

Result<Figures> profile(const Profiled& model, const ProfileOptions& options,
                        const Control& control) {
  Figures figures;
  for (std::size_t process = 0; process < options.processes; ++process) {
    if (control.stopped()) return interrupted();
    EP_TRY(auto session, load(model, model.engine, model.options));
    EP_TRY(auto inputs, model.inputs(session->inputs()));
    // If the model itself fails, there are no figures. If only the comparison with the reference
    // fails, only the difference is missing.
    EP_CHECK(session->infer(bench::views(inputs.front())));
    if (process == 0) figures.warnings = session->warnings();
    if (process == 0) EP_CHECK(compare(*session, model, inputs, figures, control));
    if (!model.real_inputs) inputs.resize(1);
    EP_CHECK(warm_up_for(*session, inputs.front(), options.seconds, control));
    EP_TRY(const auto latencies, timed(*session, inputs, options.seconds, control));
    tell(figures, latencies);
    if (process + 1 < options.processes) continue;
    EP_TRY(figures.energy, session_energy(*session, inputs, options.energy, control));
  }
  return figures;
}

}  // namespace edgeprobe::placement
