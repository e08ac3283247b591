// SPDX-License-Identifier: Apache-2.0
#include "placement/shape/shape.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "core/file.h"
#include "core/text.h"
#include "engine/cpu_affinity.h"
#include "engine/kinds.h"
#include "engine/private_folder.h"
#include "family/count.h"
#include "family/export.h"
#include "placement/search/divisions.h"
#include "placement/search/exactness.h"
#include "placement/search/found.h"
#include "placement/search/pieces.h"
#include "placement/search/quiet.h"
#include "placement/search/search.h"
#include "placement/shape/latency.h"
#include "stretch/flow.h"
#include "stretch/split/part_groups.h"

namespace edgeprobe::placement::shape {
namespace {

constexpr std::uint64_t kSeed = 1;

Bytes model_of(const family::Network& network) {
  return family::to_onnx(network, family::initial_weights(network, kSeed));
}

constexpr std::size_t kInputsCompared = 3;
/// Widths of the narrowed base, as shares of the base's.
constexpr int kShares = 16;

/// How a candidate runs: a plan, or one engine. Its model is made whenever it is needed, since a
/// dozen of them may not fit into memory.
struct Way {
  Runs runs;
  std::optional<stretch::Plan> plan;
};

class ShapeSearch {
 public:
  ShapeSearch(const Base& base, const Options& options,
              const std::function<void(const std::string&)>& says, const Control& control)
      : base_(base), options_(options), says_(says), control_(control) {}

  Result<Found> run();

 private:
  Result<std::vector<Design>> designs();
  Status add_base();
  Status add_split();
  Status add_branched(const Design& design);
  Status add_narrowed();
  Status add(Candidate candidate, Way way);
  Status check(std::size_t index);
  Status time(std::size_t index);
  Status round(std::vector<std::size_t> order, std::mt19937& random);
  Result<Runs> runs_of(const Way& way) const;
  Candidate candidate_of(std::string name, Role role, const family::Configuration& configuration,
                         const family::Network& network) const;
  Result<family::Network> network_of(const family::Configuration& configuration) const {
    return family::build(configuration, {base_.size, base_.classes, false, HUGE_VAL});
  }
  engine::SessionOptions session_options() const {
    engine::SessionOptions options;
    options.load_limit = options.invoke_limit = options_.time_limit;
    return options;
  }
  void tell(std::size_t done, std::size_t all, const std::string& what) {
    if (control_.progress) control_.progress(done, all, what);
  }

  const Base& base_;
  const Options& options_;
  const std::function<void(const std::string&)>& says_;
  const Control& control_;
  std::optional<engine::PrivateFolder> folder_;
  std::vector<Way> ways_;  ///< By candidate.
  std::size_t timed_ = 0, expected_ = 0;
  Found found_;
};

Result<std::vector<Design>> ShapeSearch::designs() {
  std::vector<std::string> texts;
  std::vector<std::size_t> kinds;
  for (const stretch::Processor& one : options_.processors) {
    texts.push_back(kind_text(one));
    const auto first = std::find(texts.begin(), texts.end(), texts.back());
    kinds.push_back(static_cast<std::size_t>(first - texts.begin()));
  }
  EP_TRY(const auto space, space_of(base_, options_.bounds, options_.grid, std::move(kinds)));
  for (const StageSpace& stage : space.stages) found_.widths.push_back(stage.widths);
  Works works(base_);
  Costs costs;
  costs.macs = [&](std::size_t stage, std::int64_t depth, std::int64_t width, std::int64_t input) {
    return works.macs(stage, depth, width, input);
  };
  const auto inputs = inputs_of(space, options_.bounds, costs);
  for (std::size_t i = 1; i < inputs.size(); ++i)
    if (inputs[i].empty())
      return Error{ErrorKind::kUsage,
                   "stage " + std::to_string(i) +
                       ": no depths and widths are within the bounds; lower --main-share, "
                       "--sum-share, --depth-share or --field-share"};
  std::optional<Cache> cache;
  auto opened =
      Cache::open(control_, [&] { says_("another search runs on this machine; waiting"); });
  if (opened) cache.emplace(*std::move(opened));
  else if (opened.error().kind == ErrorKind::kInterrupted) return std::move(opened).error();
  else says_("nothing is kept for later searches: " + opened.error().what);
  PartTimes times({options_.processors, session_options(), options_.seconds, options_.fresh},
                  cache ? &*cache : nullptr);
  LatencyModel model(base_, space, times);
  EP_CHECK(model.measure(
      inputs, [&](std::size_t done, std::size_t all) { tell(done, all, "branches"); }, control_));
  times.rest();
  found_.measured = times.measured();
  found_.known = times.known();
  found_.noisy = times.noisy();
  found_.errors = model.held().errors;
  std::sort(found_.errors.begin(), found_.errors.end());
  costs.stem = model.stem();
  costs.hand_over = 2 * kHandingOver;
  costs.seconds = [&](std::size_t stage, const BranchShape& branch, std::int64_t input,
                      bool alone) { return model.seconds(stage, branch, input, alone); };
  costs.head = [&](std::int64_t input) { return model.head(input); };
  auto designs = best_designs(space, options_.bounds, costs, options_.best);
  if (designs.empty())
    return Error{ErrorKind::kUsage,
                 "no network with a branched stage is within the bounds; lower --main-share, "
                 "--sum-share, --depth-share or --field-share"};
  return designs;
}

Candidate ShapeSearch::candidate_of(std::string name, Role role,
                                    const family::Configuration& configuration,
                                    const family::Network& network) const {
  Candidate candidate;
  candidate.name = std::move(name);
  candidate.role = role;
  candidate.configuration = configuration;
  const family::Count count = family::count_of(network);
  const auto sections = family::sections_of(network);
  candidate.macs = count.macs;
  candidate.parameters = count.parameters;
  candidate.longest_way = family::longest_way(sections);
  for (const family::Section& section : sections)
    candidate.field = std::max(candidate.field, section.field);
  return candidate;
}

/// A plan runs from the only one in the folder.
Result<Runs> ShapeSearch::runs_of(const Way& way) const {
  if (!way.plan) return way.runs;
  Runs runs{{}, session_options(), 1, cpus_of(*way.plan)};
  runs.engine.kind = engine::kind_of(engine::EngineId::kStretch).name;
  runs.engine.library = folder_->path() / "plan.json";
  EP_CHECK(write_file(runs.engine.library, view_of(stretch::to_json(*way.plan))));
  return runs;
}

Status ShapeSearch::add(Candidate candidate, Way way) {
  if (way.plan) candidate.plan = *way.plan;
  found_.candidates.push_back(std::move(candidate));
  ways_.push_back(std::move(way));
  return check(found_.candidates.size() - 1);
}

/// A plan must compute what the whole model does on the first processor.
Status ShapeSearch::check(std::size_t index) {
  const Way& way = ways_[index];
  if (!way.plan) return {};
  EP_TRY(const auto network, network_of(found_.candidates[index].configuration));
  const Bytes model = model_of(network);
  EP_TRY(const auto whole, runs_on(options_.processors.front(), session_options()));
  EP_TRY(const auto runs, runs_of(way));
  const auto compare = [&]() -> Result<Difference> {
    EP_TRY(auto theirs, load_model(model, whole));
    EP_TRY(auto mine, load_model(model, runs));
    return difference(*mine, *theirs, {}, kInputsCompared, control_);
  };
  const auto found = compare();
  if (!found && found.error().kind == ErrorKind::kInterrupted) return Error(found.error());
  Candidate& candidate = found_.candidates[index];
  if (!found) candidate.refused = found.error().what;
  else if (!is_same(*found))
    candidate.refused = "its plan computes other outputs than the whole model: '" +
                        sanitized(found->worst, 60) + "' differs by " + number(found->relative) +
                        " of its largest value";
  return {};
}

/// One thread on each kind of processor, and a thread on every CPU.
Status ShapeSearch::add_base() {
  EP_TRY(const auto network, network_of(base_.configuration));
  const Bytes model = model_of(network);
  EP_TRY(const auto graph, model::read_model(model, network.name, {}));
  EP_TRY(const auto flow, stretch::flow_of(graph));
  std::vector<std::string> kinds;
  stretch::Processor all = options_.processors.front();
  bool has_pool = true;
  for (std::size_t i = 0; i < options_.processors.size(); ++i) {
    const stretch::Processor& one = options_.processors[i];
    has_pool =
        has_pool && one.engine == all.engine && one.delegate.empty() && one.emulated_slowdown == 1;
    if (i > 0) all.cpus.insert(all.cpus.end(), one.cpus.begin(), one.cpus.end());
    if (std::find(kinds.begin(), kinds.end(), kind_text(one)) != kinds.end()) continue;
    kinds.push_back(kind_text(one));
    Way mine;
    EP_TRY(mine.runs, runs_on(one, session_options()));
    Candidate candidate = candidate_of("base, 1 thread on " + options_.names[i], Role::kBase,
                                       base_.configuration, network);
    candidate.stem = "base";
    candidate.plan_stem = i == 0 ? "base" : "base-" + options_.names[i];
    candidate.plan = plain_candidate(graph, flow, one).plan;
    EP_CHECK(add(std::move(candidate), std::move(mine)));
  }
  std::sort(all.cpus.begin(), all.cpus.end());
  all.cpus.erase(std::unique(all.cpus.begin(), all.cpus.end()), all.cpus.end());
  all.threads = static_cast<int>(all.cpus.size());
  all.name = "all";
  if (!has_pool || all.threads < 2) {
    says_(
        "the base is not run on all cores together: the processors differ in their engine, "
        "delegate or emulated slowdown");
    return {};
  }
  Way mine;
  EP_TRY(mine.runs, runs_on(all, session_options()));
  Candidate candidate = candidate_of("base, " + std::to_string(all.threads) + " threads",
                                     Role::kBase, base_.configuration, network);
  candidate.stem = "base";
  candidate.plan_stem = "base-threads";
  candidate.plan = plain_candidate(graph, flow, all).plan;
  return add(std::move(candidate), std::move(mine));
}

Status ShapeSearch::add_split() {
  EP_TRY(const auto network, network_of(base_.configuration));
  const Bytes model = model_of(network);
  EP_TRY(const auto graph, model::read_model(model, network.name, {}));
  auto plan = stretch::plan_of_all_splits(graph, model, false, options_.processors);
  if (!plan) {
    says_("the base is not split exactly: " + plan.error().what);
    return {};
  }
  Way way;
  way.plan = *std::move(plan);
  Candidate candidate =
      candidate_of("base, split exactly", Role::kSplit, base_.configuration, network);
  candidate.stem = "base";
  candidate.plan_stem = "base-split";
  return add(std::move(candidate), std::move(way));
}

Status ShapeSearch::add_branched(const Design& design) {
  std::size_t number_of = 1;
  for (const Candidate& one : found_.candidates) number_of += one.role == Role::kBranched ? 1 : 0;
  family::Configuration configuration = configuration_of(base_, design.stages, options_.names);
  const std::string name = "two-" + std::to_string(number_of);
  configuration.name = base_.configuration.name + "-" + name;
  EP_TRY(const auto network, network_of(configuration));
  const Bytes model = model_of(network);
  EP_TRY(const auto graph, model::read_model(model, network.name, {}));
  Way way;
  EP_TRY(way.plan, family::plan_of(network, graph, options_.processors));
  Candidate candidate = candidate_of(name, Role::kBranched, configuration, network);
  candidate.stem = candidate.plan_stem = name;
  candidate.stages = design.stages;
  candidate.predicted = design.seconds;
  return add(std::move(candidate), std::move(way));
}

Status ShapeSearch::time(std::size_t index) {
  Candidate& candidate = found_.candidates[index];
  if (!candidate.refused.empty()) return {};
  EP_TRY(const auto network, network_of(candidate.configuration));
  EP_TRY(const auto runs, runs_of(ways_[index]));
  auto timing = time_model(model_of(network), runs, {}, {options_.seconds, kPatience}, control_);
  if (!timing && timing.error().kind == ErrorKind::kInterrupted) return std::move(timing).error();
  if (timing) candidate.processes.push_back(*timing);
  else candidate.refused = timing.error().what;
  ++timed_;
  tell(timed_, std::max(timed_, expected_), "whole networks");
  return {};
}

Status ShapeSearch::round(std::vector<std::size_t> order, std::mt19937& random) {
  std::shuffle(order.begin(), order.end(), random);
  for (const std::size_t index : order) EP_CHECK(time(index));
  return {};
}

/// The widest narrowed base that is as fast as the fastest branched network, run as the base is
/// fastest: the base itself if that is as fast already.
Status ShapeSearch::add_narrowed() {
  double wanted = HUGE_VAL, base_seconds = HUGE_VAL;
  std::size_t own = 0;
  for (std::size_t i = 0; i < found_.candidates.size(); ++i) {
    const Candidate& one = found_.candidates[i];
    const auto figure = figure_of(one.processes);
    if (!figure || !one.refused.empty()) continue;
    if (one.role == Role::kBranched) wanted = std::min(wanted, figure->median);
    if (one.role != Role::kBase || figure->median >= base_seconds) continue;
    base_seconds = figure->median;
    own = i;
  }
  if (wanted == HUGE_VAL || base_seconds == HUGE_VAL) return {};
  int low = 1, high = kShares;  // The widest that fits is in [low, high].
  if (base_seconds <= wanted) low = kShares;
  const Runs runs = ways_[own].runs;
  const auto make = [&](int share) {
    auto configuration = narrowed(base_, static_cast<double>(share) / kShares, options_.grid);
    configuration.name = base_.configuration.name + "-narrow";
    return configuration;
  };
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    EP_TRY(const auto network, network_of(make(middle)));
    EP_TRY(const auto timing,
           time_model(model_of(network), runs, {}, {options_.seconds, kPatience}, control_));
    if (timing.median <= wanted) low = middle;
    else high = middle - 1;
  }
  EP_TRY(const auto network, network_of(make(low)));
  EP_TRY(const auto graph, model::read_model(model_of(network), network.name, {}));
  EP_TRY(const auto flow, stretch::flow_of(graph));
  Candidate candidate =
      candidate_of("narrow, " + found_.candidates[own].name.substr(std::string("base, ").size()),
                   Role::kNarrowed, make(low), network);
  candidate.stem = candidate.plan_stem = "narrow";
  candidate.plan =
      plain_candidate(graph, flow, found_.candidates[own].plan.processors.front()).plan;
  return add(std::move(candidate), Way{runs, std::nullopt});
}

Result<Found> ShapeSearch::run() {
  EP_CHECK(check_engines(options_.processors, "onnx"));
  for (const stretch::Processor& processor : options_.processors)
    if (auto there = engine::check_cpus(processor.cpus); !there)
      return std::move(there.error()).during("processor '" + sanitized(processor.name, 60) + "'");
  EP_TRY(auto folder, engine::PrivateFolder::create());
  folder_.emplace(std::move(folder));
  EP_TRY(const auto best, designs());
  EP_CHECK(add_base());
  EP_CHECK(add_split());
  for (const Design& design : best) EP_CHECK(add_branched(design));
  std::mt19937 random(1);
  const auto everything = [&] {
    std::vector<std::size_t> all(found_.candidates.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  };
  expected_ = options_.rounds * (found_.candidates.size() + 1);
  EP_CHECK(round(everything(), random));
  for (std::size_t i = 1; i < options_.rounds; ++i) EP_CHECK(round(everything(), random));
  // Further rounds for those that were disturbed.
  for (std::size_t i = 0; i < options_.rounds; ++i) {
    std::vector<std::size_t> open;
    for (std::size_t k = 0; k < found_.candidates.size(); ++k)
      if (found_.candidates[k].refused.empty() &&
          !is_known(figure_of(found_.candidates[k].processes)))
        open.push_back(k);
    if (open.empty() || options_.rounds < kFewestProcesses) break;
    EP_CHECK(round(open, random));
  }
  // Last, since one disturbed process would set its width.
  EP_CHECK(add_narrowed());
  if (found_.candidates.back().role == Role::kNarrowed)
    for (std::size_t i = 0; i < options_.rounds; ++i) EP_CHECK(time(found_.candidates.size() - 1));
  std::vector<Judged> ways;
  for (const Candidate& one : found_.candidates)
    ways.push_back(
        {one.name, one.role, one.refused.empty() ? figure_of(one.processes) : std::nullopt});
  found_.answer = judge(ways);
  return std::move(found_);
}

}  // namespace

Result<Found> search(const Base& base, const Options& options,
                     const std::function<void(const std::string&)>& says, const Control& control) {
  const LongTurns turns;
  return ShapeSearch(base, options, says, control).run();
}

}  // namespace edgeprobe::placement::shape
