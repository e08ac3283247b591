// SPDX-License-Identifier: Apache-2.0
#include "stretch/search/timing.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/load.h"
#include "bench/warm_up.h"
#include "engine/delegate_text.h"
#include "engine/target.h"
#include "stats/quantile.h"
#include "stats/summary.h"

namespace edgeprobe::stretch {
namespace {

using nlohmann::ordered_json;

/// Seconds that a warm-up may take, as a multiple of the measurement and at most: it ends when
/// three windows agree.
constexpr double kWarmUpShare = 5, kWarmUpLimit = 1.5;
constexpr std::uint64_t kSeed = 1;

}  // namespace

void Latencies::add(const std::vector<engine::Iteration>& iterations) {
  // A thread that waited through a whole run is seen to have waited when it runs again: in the next
  // one.
  const auto waited_little = [](const engine::Iteration& iteration) {
    return iteration.run_delay &&
           std::chrono::duration<double>(*iteration.run_delay) <=
               kNoisyShare * std::chrono::duration<double>(iteration.latency);
  };
  for (std::size_t i = 0; i < iterations.size(); ++i) {
    const double latency = std::chrono::duration<double>(iterations[i].latency).count();
    all.push_back(latency);
    if (iterations[i].cpu) cpu += std::chrono::duration<double>(*iterations[i].cpu).count();
    if (i + 1 < iterations.size() && waited_little(iterations[i]) &&
        waited_little(iterations[i + 1]))
      quiet.push_back(latency);
  }
}

Status warm_up_for(engine::Session& session, const std::vector<Tensor>& inputs, double seconds,
                   const Control& control) {
  const bench::Inputs one{inputs};
  const auto warm = bench::warm_up(session, one, std::min(kWarmUpLimit, kWarmUpShare * seconds),
                                   {control.stop, {}});
  return warm ? Status() : warm.error();
}

Result<Timing> time_session(engine::Session& session, const std::vector<model::Feed>& feeds,
                            double seconds, const Control& control) {
  auto inputs = bench::random_inputs(session.inputs(), kSeed, feeds);
  if (!inputs) return std::move(inputs).error();
  if (auto warm = warm_up_for(session, *inputs, seconds, control); !warm)
    return std::move(warm).error();
  engine::RepeatOptions options;
  options.count = 100'000;
  options.duration = std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
  std::vector<TensorView> views(inputs->begin(), inputs->end());
  auto repeated = session.repeat(views, options, {control.stop, {}});
  if (!repeated) return std::move(repeated).error();
  if (repeated->stopped || control.stopped()) return interrupted();
  Latencies latencies;
  latencies.add(repeated->iterations);
  Timing timing;
  timing.runs = latencies.all.size();
  timing.quiet = latencies.quiet.size();
  timing.core_seconds = latencies.cpu / static_cast<double>(timing.runs);
  std::vector<double> told = latencies.told();
  const stats::Summary summary = stats::summarize(told);
  timing.median = summary.p50.value;
  // Of too few runs for an interval all that is known is where they lay.
  timing.low = summary.p50.low.value_or(summary.min);
  timing.high = summary.p50.high.value_or(summary.max);
  std::sort(told.begin(), told.end());
  timing.p10 = stats::quantile(told, 0.1);
  timing.p90 = stats::quantile(told, 0.9);
  return timing;
}

Result<engine::SessionOptions> options_on(const Processor& processor,
                                          const engine::SessionOptions& base) {
  engine::SessionOptions options = base;
  options.threads = processor.threads;
  options.cpus = processor.cpus;
  if (processor.delegate.empty()) return options;
  auto delegate = engine::delegate_from_text(processor.delegate);
  if (!delegate) return std::move(delegate).error();
  options.delegates.push_back(*std::move(delegate));
  return options;
}

Timing slowed(Timing timing, double slowdown) {
  for (double* const time : {&timing.median, &timing.low, &timing.high, &timing.p10, &timing.p90})
    *time *= slowdown;
  return timing;
}

Result<Runs> runs_on(const Processor& processor, const engine::SessionOptions& base) {
  auto choice = engine::engine_choice_from_text(processor.engine);
  if (!choice) return std::move(choice).error();
  auto options = options_on(processor, base);
  if (!options) return std::move(options).error();
  return Runs{*std::move(choice), *std::move(options), processor.emulated_slowdown};
}

Result<std::unique_ptr<engine::Session>> load_model(ByteView model, const Runs& how) {
  auto engine = engine::open_supervised(how.engine);
  if (!engine) return std::move(engine).error();
  return (*engine)->load(model, "the model", how.options);
}

Result<Timing> time_model(ByteView model, const Runs& how, const std::vector<model::Feed>& feeds,
                          double seconds, const Control& control) {
  auto session = load_model(model, how);
  if (!session) return std::move(session).error();
  auto timing = time_session(**session, feeds, seconds, control);
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

}  // namespace edgeprobe::stretch
