// SPDX-License-Identifier: Apache-2.0
#include "bench/measure.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

#include "bench/phases.h"
#include "bench/watch.h"
#include "core/text.h"
#include "model/state.h"
#include "stats/quantile.h"

namespace edgeprobe::bench {
namespace {

std::chrono::nanoseconds nanoseconds(double seconds) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(std::min(seconds, 1e8)));
}

/// Runs inferences one after the other until the plan is complete, cycling through the inputs.
Status single_stream(engine::Session& session, const Inputs& inputs, const Plan& plan,
                     const Control& control, Watch& watch, Configuration& result,
                     std::string& no_scheduling) {
  const std::size_t most = plan.runs.value_or(SIZE_MAX);
  const double begin = watch.elapsed();
  std::size_t at = 0;
  while (result.runs.size() < most && !result.stopped) {
    const double elapsed = watch.elapsed() - begin;
    if (!plan.runs && elapsed >= plan.duration && !result.runs.empty()) break;
    engine::RepeatOptions options;
    // With several inputs, run one inference each.
    options.count = inputs.size() > 1 ? 1 : most - result.runs.size();
    if (!plan.runs) options.duration = nanoseconds(plan.duration - elapsed);
    const std::size_t before = result.runs.size();
    const auto progress = [&](std::size_t done, std::size_t, const std::string&) {
      watch.look();
      if (!control.progress) return;
      if (plan.runs) control.progress(before + done, *plan.runs, "runs");
      else
        control.progress(
            static_cast<std::size_t>(std::min(plan.duration, watch.elapsed() - begin) * 10),
            static_cast<std::size_t>(plan.duration * 10),
            "tenths of a second, " + std::to_string(before + done) + " runs");
    };
    const double offset = watch.elapsed();
    EP_TRY(auto iterations,
           session.repeat(views(inputs[at++ % inputs.size()]), options, {control.stop, progress}));
    for (const engine::Iteration& iteration : iterations.iterations)
      result.runs.push_back(run_of(iteration, offset));
    no_scheduling = iterations.no_scheduling;
    result.stopped = iterations.stopped || control.stopped();
  }
  return {};
}

/// All samples are available at once: every stream takes the next one as soon as it can.
Status offline(std::vector<Loaded>& streams, const std::vector<Inputs>& inputs, const Plan& plan,
               const Control& control, Watch& watch, Configuration& result,
               std::string& no_scheduling) {
  struct Stream {
    Result<engine::Iterations> iterations = engine::Iterations{};
    double start = 0;
  };
  std::vector<Stream> done(streams.size());
  std::vector<std::thread> threads;
  const double begin = watch.elapsed();
  for (std::size_t i = 0; i < streams.size(); ++i)
    threads.emplace_back([&, i] {
      engine::RepeatOptions options;
      Control own{control.stop, {}};
      options.count = plan.runs ? (*plan.runs + streams.size() - 1 - i) / streams.size() : SIZE_MAX;
      if (options.count == 0) return;
      if (!plan.runs) options.duration = nanoseconds(plan.duration);
      if (i == 0)
        own.progress = [&](std::size_t count, std::size_t, const std::string&) {
          watch.look();
          if (control.progress && plan.runs)
            control.progress(count * streams.size(), *plan.runs, "runs");
          if (control.progress && !plan.runs)
            control.progress(
                static_cast<std::size_t>(std::min(plan.duration, watch.elapsed() - begin) * 10),
                static_cast<std::size_t>(plan.duration * 10), "tenths of a second");
        };
      done[i].start = watch.elapsed();
      done[i].iterations = streams[i].session->repeat(views(inputs[i].front()), options, own);
    });
  for (std::thread& thread : threads) thread.join();
  double end = begin;
  for (Stream& stream : done) {
    if (!stream.iterations) return std::move(stream.iterations).error();
    for (const engine::Iteration& iteration : stream.iterations->iterations) {
      result.runs.push_back(run_of(iteration, stream.start));
      end = std::max(end, result.runs.back().start + result.runs.back().latency);
    }
    if (!stream.iterations->no_scheduling.empty()) no_scheduling = stream.iterations->no_scheduling;
    result.stopped = result.stopped || stream.iterations->stopped;
  }
  std::stable_sort(result.runs.begin(), result.runs.end(),
                   [](const Run& a, const Run& b) { return a.start < b.start; });
  Offline throughput;
  throughput.samples = result.runs.size() * static_cast<std::size_t>(plan.batch);
  throughput.seconds = end - begin;
  throughput.samples_per_second =
      throughput.seconds > 0 ? static_cast<double>(throughput.samples) / throughput.seconds : 0;
  result.offline = throughput;
  return {};
}

std::string name_of(const Configuration& configuration) {
  std::string name = "threads=" + std::to_string(configuration.threads);
  std::string cpus;
  for (const int cpu : configuration.cpus) cpus += (cpus.empty() ? "" : ",") + std::to_string(cpu);
  if (!cpus.empty()) name += " cpus=" + cpus;
  if (configuration.batch != 1) name += " batch=" + std::to_string(configuration.batch);
  if (configuration.streams != 1) name += " streams=" + std::to_string(configuration.streams);
  if (configuration.scenario == Scenario::kOffline) name += " offline";
  return name;
}

}  // namespace

const char* name(Scenario scenario) {
  return scenario == Scenario::kOffline ? "offline" : "single-stream";
}
std::optional<Scenario> scenario_from_name(std::string_view text) {
  for (const Scenario scenario : {Scenario::kSingleStream, Scenario::kOffline})
    if (text == name(scenario)) return scenario;
  return std::nullopt;
}

void sum_up(Configuration& configuration, double noisy_share, const std::string& no_scheduling,
            bool own_competition) {
  std::vector<double> all, quiet;
  bool known = !configuration.runs.empty();
  for (Run& run : configuration.runs) {
    known = known && run.run_delay.has_value();
    run.quiet = !run.run_delay || *run.run_delay <= noisy_share * run.latency;
    all.push_back(run.latency);
    if (run.quiet) quiet.push_back(run.latency);
  }
  if (!all.empty()) configuration.all = stats::summarize(all);
  if (!known)
    configuration.no_quiet = "the run delay of the engine's threads is not known: " +
                             (no_scheduling.empty() ? std::string("no run") : no_scheduling);
  else if (own_competition)
    configuration.no_quiet = "the engine has more threads than CPUs, so they wait for each other";
  else if (quiet.empty()) configuration.no_quiet = "no run was quiet";
  else configuration.quiet = stats::summarize(quiet);
  if (!configuration.no_quiet.empty())
    for (Run& run : configuration.runs) run.quiet = known && !own_competition ? run.quiet : true;
  if (configuration.quiet && quiet.size() * 5 < all.size())
    configuration.warnings.push_back("only " + std::to_string(quiet.size()) + " of " +
                                     std::to_string(all.size()) +
                                     " runs were quiet: other programs are using the CPUs");
}

Result<Configuration> measure(const Model& model, const engine::SessionOptions& options,
                              const Plan& plan, const InputMaker& make_inputs,
                              const Control& control, engine::EngineIdentity& identity) {
  Configuration result;
  result.threads = options.threads;
  result.cpus = options.cpus;
  result.batch = plan.batch;
  result.streams = plan.streams;
  result.scenario = plan.scenario;
  result.name = name_of(result);
  std::vector<Loaded> streams;
  std::vector<Inputs> inputs;
  for (int i = 0; i < plan.streams; ++i) {
    EP_TRY(auto loaded, load(model, options));
    EP_TRY(auto made, make_inputs(loaded.session->inputs()));
    inputs.push_back(std::move(made));
    streams.push_back(std::move(loaded));
  }
  engine::Session& session = *streams.front().session;
  identity = streams.front().engine->identity();
  result.delegations = session.delegations();
  result.warnings = session.warnings();
  const std::size_t warned = result.warnings.size();
  if (const std::string note = model.graph ? model::state_note(*model.graph) : ""; !note.empty())
    result.warnings.insert(result.warnings.begin(), note);
  for (std::size_t i = 0; i < streams.size(); ++i) {
    EP_TRY(auto warmed, warm_up(*streams[i].session, inputs[i], plan.warm_up_limit, control));
    if (i == 0) result.warm_up = std::move(warmed);
  }
  if (control.stopped()) return interrupted();
  if (!result.warm_up.stable)
    result.warnings.push_back("the latency did not settle within " + number(plan.warm_up_limit) +
                              " s of warm-up");

  Watch watch;
  std::string no_scheduling;
  EP_CHECK(
      plan.scenario == Scenario::kOffline
          ? offline(streams, inputs, plan, control, watch, result, no_scheduling)
          : single_stream(session, inputs.front(), plan, control, watch, result, no_scheduling));
  // A server that does not report engine times reveals this with its first answers.
  const std::vector<std::string>& told = session.warnings();
  for (std::size_t i = warned; i < told.size(); ++i) result.warnings.push_back(told[i]);
  watch.look(true);
  result.moments = std::move(watch).moments();
  result.memory = session.memory();
  const int cpus =
      options.cpus.empty() ? meter::machine({}).cpus : static_cast<int>(options.cpus.size());
  const bool own_competition = cpus > 0 && options.threads * plan.streams > cpus;
  sum_up(result, plan.noisy_share, no_scheduling, own_competition);
  while (streams.size() > 1) streams.pop_back();

  if (plan.layers && !result.stopped) {
    Plan alone = plan;
    if (own_competition) alone.noisy_share = std::numeric_limits<double>::infinity();
    auto profile = profiled(model, options, session, inputs.front(), alone, control);
    if (!profile) return std::move(profile).error().during("layer times");
    if (profile->times.kernels.empty())
      result.warnings.push_back("this engine does not report times of its kernels");
    result.stopped = control.stopped();
    result.profile = std::move(*profile);
  }
  if (plan.cold > 0 && !result.stopped) {
    auto cold = cold_starts(model, options, inputs.front().front(), plan.cold, control);
    if (!cold) return std::move(cold).error().during("cold start");
    result.cold = std::move(*cold);
    result.stopped = control.stopped();
  }
  return result;
}

}  // namespace edgeprobe::bench
