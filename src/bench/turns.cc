// SPDX-License-Identifier: Apache-2.0
#include "bench/turns.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "bench/phases.h"
#include "core/file.h"
#include "core/text.h"
#include "model/state.h"
#include "stats/quantile.h"
#include "stats/significance.h"

namespace edgeprobe::bench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kBlock = 0.05;  ///< Seconds of runs in a block; at least 3 runs.
constexpr std::size_t kFewestPairs = 5;

/// A run's own time: for a single thread, without its waits for a CPU. With more threads their
/// waits overlap, so the latency is used as it is.
double own_time(const Run& run, int threads) {
  return threads == 1 && run.run_delay ? std::max(0.0, run.latency - *run.run_delay) : run.latency;
}

/// The engine process of one side in one round, with its results.
struct Player {
  Loaded loaded;
  Inputs inputs;
  int threads = 1;
  std::size_t runs_a_block = 3;
  std::vector<Run> runs;
  std::vector<std::vector<engine::OpTime>> op_times;
};

Result<Player> player(const Side& side, bool profile, double warm_up_limit, const InputMaker& make,
                      const Control& control) {
  Player one;
  engine::SessionOptions options = side.options;
  options.profile = profile;
  one.threads = options.threads;
  EP_TRY(one.loaded, load(side.model, options));
  EP_TRY(one.inputs, make(one.loaded.session->inputs()));
  EP_CHECK(warm_up(*one.loaded.session, one.inputs, warm_up_limit, control));
  return one;
}

/// Runs a block; returns its median.
Result<double> block(Player& player, double offset, double noisy_share) {
  engine::RepeatOptions repeat;
  repeat.count = player.runs_a_block;
  const std::vector<TensorView> views(player.inputs.front().begin(), player.inputs.front().end());
  EP_TRY(auto iterations, player.loaded.session->repeat(views, repeat));
  std::vector<double> all, quiet;
  for (engine::Iteration& iteration : iterations.iterations) {
    Run run = run_of(iteration, offset);
    run.quiet = !run.run_delay || *run.run_delay <= noisy_share * run.latency;
    all.push_back(own_time(run, player.threads));
    if (run.quiet) quiet.push_back(all.back());
    player.runs.push_back(run);
    if (!iteration.op_times.empty()) player.op_times.push_back(std::move(iteration.op_times));
  }
  const double typical = stats::median(quiet.empty() ? all : quiet);
  player.runs_a_block =
      std::clamp<std::size_t>(static_cast<std::size_t>(kBlock / std::max(typical, 1e-7)), 3, 2000);
  return typical;
}

/// Alternates blocks for `duration`; returns the ratios B / A of their pairs.
Result<std::vector<double>> play(Player& a, Player& b, const TurnPlan& plan,
                                 const Control& control) {
  std::vector<double> ratios;
  const auto start = Clock::now();
  const auto elapsed = [&] { return seconds(Clock::now() - start); };
  for (std::size_t pair = 0;
       !control.stopped() && (pair < kFewestPairs || elapsed() < plan.duration); ++pair) {
    std::array<double, 2> typical{};
    for (const std::size_t turn : {0u, 1u}) {
      const std::size_t which = (pair % 2 + turn) % 2;
      EP_TRY(typical[which], block(which == 0 ? a : b, elapsed(), plan.noisy_share));
    }
    if (typical[0] > 0 && typical[1] > 0) ratios.push_back(typical[1] / typical[0]);
  }
  return ratios;
}

Configuration configuration_of(Player& player, const Side& side, double noisy_share) {
  Configuration configuration;
  configuration.name = "threads=" + std::to_string(side.options.threads);
  configuration.threads = side.options.threads;
  configuration.cpus = side.options.cpus;
  configuration.runs = std::move(player.runs);
  const int cpus = side.options.cpus.empty() ? meter::machine({}).cpus
                                             : static_cast<int>(side.options.cpus.size());
  sum_up(configuration, noisy_share, "", cpus > 0 && side.options.threads > cpus);
  return configuration;
}

Subject subject_of(const Side& side, const engine::EngineIdentity& identity) {
  Subject subject;
  subject.model = side.model.path.filename().string();
  subject.sha256 = sha256(side.model.file.view());
  subject.file_size = side.model.file.view().size;
  subject.format = side.model.graph ? side.model.graph->format : "compiled";
  subject.engine = identity;
  subject.kernels = engine::kernels_used(identity, side.options);
  subject.options = side.said;
  return subject;
}

void warn(Turns& turns, const std::string& text) {
  if (std::find(turns.warnings.begin(), turns.warnings.end(), text) == turns.warnings.end())
    turns.warnings.push_back(text);
}

/// Runs fresh processes of both sides; false if the user stopped before the round was complete.
Result<bool> round(const Side& a, const Side& b, const TurnPlan& plan, const InputMaker& inputs,
                   const Control& control, Turns& turns) {
  const std::array<const Side*, 2> sides{&a, &b};
  const std::size_t first = turns.ratios.size() % 2;
  std::array<Configuration, 2> measured;
  double ratio = 0;
  for (const bool profile : plan.layers ? std::vector{false, true} : std::vector{false}) {
    std::array<Player, 2> players;
    for (const std::size_t turn : {0u, 1u}) {
      const std::size_t which = (first + turn) % 2;
      auto one = player(*sides[which], profile, plan.warm_up_limit, inputs, control);
      if (!one) return std::move(one).error().during(which == 0 ? "A" : "B");
      players[which] = std::move(*one);
    }
    EP_TRY(auto ratios, play(players[0], players[1], plan, control));
    if (control.stopped()) return false;
    for (const std::size_t which : {0u, 1u}) {
      Player& of = players[which];
      if (const auto& graph = sides[which]->model.graph; graph && !model::state_of(*graph).empty())
        warn(turns, std::string(which == 0 ? "A" : "B") + ": " + model::state_note(*graph));
      for (const std::string& warning : of.loaded.session->warnings())
        warn(turns, std::string(which == 0 ? "A" : "B") + ": " + warning);
      if (!profile) {
        (which == 0 ? turns.a : turns.b) = subject_of(*sides[which], of.loaded.engine->identity());
        measured[which] = configuration_of(of, *sides[which], plan.noisy_share);
        continue;
      }
      if (of.op_times.empty()) {
        warn(turns, std::string(which == 0 ? "A" : "B") +
                        ": this engine does not report times of its kernels");
        continue;
      }
      measured[which].profile.emplace();
      measured[which].profile->times = layer_times(
          of.op_times, sides[which]->model.graph ? &*sides[which]->model.graph : nullptr);
    }
    if (!profile) ratio = stats::median(ratios);
  }
  if (!(ratio > 0))
    return Error{ErrorKind::kUnsupported,
                 "the inferences are too short for the clock: there is nothing to compare"};
  turns.ratios.push_back(ratio);
  turns.of_a.push_back(std::move(measured[0]));
  turns.of_b.push_back(std::move(measured[1]));
  return true;
}

bool well_known(const std::vector<double>& ratios, double threshold) {
  std::vector<double> logs;
  for (const double ratio : ratios) logs.push_back(std::log(ratio));
  const stats::MeanTest test = stats::mean_test(logs);
  return test.high - test.low <= std::log1p(threshold);
}

/// Kernels with the same name and position correspond only if both models have the same kernels.
bool same_kernels(const Configuration& a, const Configuration& b) {
  if (!a.profile || !b.profile) return false;
  const auto &of_a = a.profile->times.kernels, &of_b = b.profile->times.kernels;
  return std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(),
                    [](const KernelTime& one, const KernelTime& other) {
                      return one.inner == other.inner && one.name == other.name &&
                             one.engine_type == other.engine_type && one.layers == other.layers;
                    });
}

}  // namespace

Result<Turns> measure_in_turns(const Side& a, const Side& b, const TurnPlan& plan, double threshold,
                               const InputMaker& inputs, const Control& control) {
  Turns turns;
  while (turns.ratios.size() < plan.most) {
    if (turns.ratios.size() >= plan.fewest && well_known(turns.ratios, threshold)) break;
    if (control.stopped()) turns.stopped = true;
    if (turns.stopped) break;
    EP_TRY(auto whole, round(a, b, plan, inputs, control, turns));
    turns.stopped = !whole;
    if (control.progress) control.progress(turns.ratios.size(), plan.most, "rounds at most");
  }
  if (turns.ratios.empty()) return interrupted();
  return turns;
}

Diff diff(const Turns& turns, const DiffOptions& options) {
  Diff found;
  if (turns.a.sha256 != turns.b.sha256)
    found.notes.push_back("A is '" + sanitized(turns.a.model) + "', B is '" +
                          sanitized(turns.b.model) + "'");
  for (std::string& note : other_engine(turns.a, turns.b)) found.notes.push_back(std::move(note));
  std::vector<Configuration> plain_a, plain_b;
  const bool layers =
      turns.a.sha256 == turns.b.sha256 || same_kernels(turns.of_a.front(), turns.of_b.front());
  if (!layers && turns.of_a.front().profile) {
    found.notes.push_back(
        "the two models do not run the same kernels, so single layers are not compared");
    plain_a = turns.of_a;
    plain_b = turns.of_b;
    for (auto* const side : {&plain_a, &plain_b})
      for (Configuration& configuration : *side) configuration.profile.reset();
  }
  const std::vector<Configuration>&of_a = plain_a.empty() ? turns.of_a : plain_a,
        &of_b = plain_b.empty() ? turns.of_b : plain_b;
  std::vector<Round> rounds;
  for (std::size_t i = 0; i < turns.ratios.size(); ++i)
    rounds.push_back({&of_a[i], &of_b[i], turns.ratios[i]});
  found.configurations.push_back(compare_rounds(rounds, found.notes));
  if (turns.stopped)
    found.notes.push_back("stopped by the user after " + std::to_string(rounds.size()) + " rounds");
  judge(found, options);
  return found;
}

}  // namespace edgeprobe::bench
