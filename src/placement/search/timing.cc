// SPDX-License-Identifier: Apache-2.0
#include "placement/search/timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <thread>

#include "bench/load.h"
#include "bench/phases.h"
#include "engine/kinds.h"
#include "engine/options.h"
#include "engine/target.h"
#include "placement/search/quiet.h"
#include "stats/quantile.h"
#include "stats/summary.h"

namespace edgeprobe::placement {
namespace {

using nlohmann::ordered_json;

/// Maximum seconds of a warm-up, as a multiple of the measurement and absolute: it stops when three
/// windows agree.
constexpr double kWarmUpShare = 5, kWarmUpLimit = 1.5;
constexpr std::uint64_t kSeed = 1;
/// Several CPUs are measured in bursts of this length, which other programs disturb less often than
/// a long sequence; before each burst, a pause lets them run, and each CPU must answer.
constexpr double kBurst = 4e-3;
constexpr std::size_t kShortestBurst = 5;
constexpr std::chrono::microseconds kRest{400};
constexpr std::chrono::milliseconds kLongestWait{20};
/// A model with long runs is measured until it has this many quiet runs, kFewestQuiet in
/// kFewestProcesses processes, for at most kMostLongRuns runs.
constexpr std::size_t kQuietOfLongRuns = 7;
constexpr double kMostLongRuns = 16;

using Clock = std::chrono::steady_clock;

template <class Time>
double in_seconds(Time time) {
  return std::chrono::duration<double>(time).count();
}

bool waited_little(const engine::Iteration& iteration) {
  return iteration.run_delay &&
         in_seconds(*iteration.run_delay) <= kNoisyShare * in_seconds(iteration.latency);
}

}  // namespace

void Latencies::add(const std::vector<engine::Iteration>& row, std::size_t first) {
  for (std::size_t i = first; i < row.size(); ++i) {
    all.push_back(in_seconds(row[i].latency));
    if (row[i].cpu) cpu += in_seconds(*row[i].cpu);
    // A wait in one run becomes visible only when the thread runs again: in the next run.
    if (i + 1 < row.size() && waited_little(row[i]) && waited_little(row[i + 1]))
      quiet.push_back(all.back());
  }
}

Result<double> warm_up_for(engine::Session& session, const std::vector<Tensor>& inputs,
                           double seconds, const Control& control) {
  const bench::Inputs one{inputs};
  EP_TRY(const auto warm,
         bench::warm_up(session, one, std::min(kWarmUpLimit, kWarmUpShare * seconds),
                        {control.stop, {}}));
  return warm.seconds / static_cast<double>(std::max<std::size_t>(warm.runs, 1));
}

Result<Timing> time_session(engine::Session& session, const std::vector<model::Feed>& feeds,
                            const std::vector<int>& cpus, const Length& length,
                            const Control& control) {
  EP_TRY(const auto inputs, bench::random_inputs(session.inputs(), kSeed, feeds));
  return time_session(session, inputs, cpus, length, control);
}

Result<Timing> time_session(engine::Session& session, const std::vector<Tensor>& inputs,
                            const std::vector<int>& cpus, const Length& length,
                            const Control& control) {
  const double seconds = length.seconds;
  const Control quietly{control.stop, {}};
  EP_TRY(const auto warm, warm_up_for(session, inputs, seconds, control));
  if (control.stopped()) return interrupted();
  const std::vector<TensorView> views(inputs.begin(), inputs.end());
  Latencies runs;
  double shortest = warm;
  // One CPU is either free or not; with several, a single missing one makes all wait.
  std::optional<Ping> ping;
  if (cpus.size() > 1) ping.emplace(cpus);
  const auto begin = Clock::now();
  const auto goes_on = [&](double passed) {
    return passed < seconds ||
           (runs.quiet.size() < kFewestQuiet && passed < length.patience * seconds) ||
           (length.patience > 1 && runs.quiet.size() < kQuietOfLongRuns &&
            passed < kMostLongRuns * shortest);
  };
  for (double passed = 0; goes_on(passed); passed = in_seconds(Clock::now() - begin)) {
    engine::RepeatOptions options;
    options.count = 100'000;
    // A run is quiet if the next one of its row is.
    const double row =
        length.patience > 1 ? std::max(seconds, (kQuietOfLongRuns + 1) * shortest) : seconds;
    options.duration = std::chrono::nanoseconds(static_cast<std::int64_t>(row * 1e9));
    if (ping) {
      options.count = std::max(kShortestBurst, static_cast<std::size_t>(kBurst / shortest));
      std::this_thread::sleep_for(kRest);
      ping->wait_for_quiet(kLongestWait);
    }
    EP_TRY(const auto repeated, session.repeat(views, options, quietly));
    if (repeated.stopped || control.stopped()) return interrupted();
    // The first run after a pause finds sleeping threads and cold caches.
    runs.add(repeated.iterations, ping && repeated.iterations.size() > 1 ? 1 : 0);
    shortest = std::min(shortest, *std::min_element(runs.all.begin(), runs.all.end()));
  }
  Timing timing;
  timing.runs = runs.all.size();
  timing.quiet = runs.quiet.size();
  timing.core_seconds = runs.cpu / static_cast<double>(timing.runs);
  std::vector<double> told = runs.told(kFewestOfProcess);
  const stats::Summary summary = stats::summarize(told);
  timing.median = summary.p50.value;
  // With too few runs for an interval, use their range.
  timing.low = summary.p50.low.value_or(summary.min);
  timing.high = summary.p50.high.value_or(summary.max);
  std::sort(told.begin(), told.end());
  timing.p10 = stats::quantile(told, 0.1);
  timing.p90 = stats::quantile(told, 0.9);
  return timing;
}

Result<engine::SessionOptions> options_on(const stretch::Processor& processor,
                                          const engine::SessionOptions& base) {
  engine::SessionOptions options = base;
  options.threads = processor.threads;
  options.cpus = processor.cpus;
  if (processor.delegate.empty()) return options;
  EP_TRY(auto delegate, engine::delegate_from_text(processor.delegate));
  options.delegates.push_back(std::move(delegate));
  return options;
}

Timing slowed(Timing timing, double slowdown) {
  for (double* const time : {&timing.median, &timing.low, &timing.high, &timing.p10, &timing.p90})
    *time *= slowdown;
  return timing;
}

std::vector<int> cpus_of(const stretch::Plan& plan) {
  std::set<int> cpus;
  for (const stretch::Processor& processor : plan.processors)
    cpus.insert(processor.cpus.begin(), processor.cpus.end());
  return {cpus.begin(), cpus.end()};
}

Result<Runs> runs_on(const stretch::Processor& processor, const engine::SessionOptions& base) {
  EP_TRY(auto choice, engine::engine_choice_from_text(processor.engine));
  EP_TRY(auto options, options_on(processor, base));
  return Runs{std::move(choice), std::move(options), processor.emulated_slowdown, processor.cpus};
}

bool take_other_way(Runs& how) {
  if (how.engine.kind == engine::kind_of(engine::EngineId::kOnnxRuntime).name) {
    auto own = engine::own<engine::OnnxRuntimeOptions>(how.options);
    own.optimization = engine::Optimization::kOff;
    how.options.own = own;
    return true;
  }
  if (how.engine.kind == engine::kind_of(engine::EngineId::kLiteRt).name ||
      how.engine.kind == engine::kind_of(engine::EngineId::kTflite).name) {
    auto own = engine::own<engine::TfliteOptions>(how.options);
    own.kernels = engine::Kernels::kBuiltin;
    how.options.own = own;
    return true;
  }
  return false;
}

Result<std::unique_ptr<engine::Session>> load_model(ByteView model, const Runs& how) {
  EP_TRY(auto engine, engine::open_supervised(how.engine));
  return engine->load(model, "the model", how.options);
}

Result<Timing> time_model(ByteView model, const Runs& how, const std::vector<model::Feed>& feeds,
                          const Length& length, const Control& control) {
  EP_TRY(auto session, load_model(model, how));
  auto timing = how.inputs.empty() ? time_session(*session, feeds, how.cpus, length, control)
                                   : time_session(*session, how.inputs, how.cpus, length, control);
  if (!timing) return timing;
  return slowed(*timing, how.slowdown);
}

std::string to_json(const Timing& timing) {
  return ordered_json{{"median", timing.median}, {"low", timing.low},
                      {"high", timing.high},     {"p10", timing.p10},
                      {"p90", timing.p90},       {"quiet", timing.quiet},
                      {"runs", timing.runs},     {"core_seconds", timing.core_seconds}}
      .dump();
}

std::optional<Timing> timing_from_json(std::string_view text) {
  const auto json = ordered_json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  Timing timing;
  bool good = true;
  const auto take = [&](const char* key, auto& value) {
    const auto found = json.find(key);
    good = good && found != json.end() && found->is_number();
    if (!good) return;
    const double number = found->template get<double>();
    good = std::isfinite(number) && number >= 0 && number < 1e15;
    if (good) value = static_cast<std::remove_reference_t<decltype(value)>>(number);
  };
  take("median", timing.median);
  take("low", timing.low);
  take("high", timing.high);
  take("p10", timing.p10);
  take("p90", timing.p90);
  take("quiet", timing.quiet);
  take("runs", timing.runs);
  take("core_seconds", timing.core_seconds);
  if (!good || !(timing.median > 0) || timing.runs == 0 || json.size() != 8) return std::nullopt;
  return timing;
}

}  // namespace edgeprobe::placement
