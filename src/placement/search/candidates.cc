// SPDX-License-Identifier: Apache-2.0
#include "placement/search/candidates.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "placement/search/divisions.h"
#include "placement/search/listed.h"
#include "stretch/division.h"
#include "stretch/groups.h"

namespace edgeprobe::placement {
namespace {

/// Maximum regions in a chain: the time between every two of them is measured.
constexpr std::size_t kMostRegions = 24;
constexpr double kNever = std::numeric_limits<double>::infinity();

Candidate candidate_of(const Pieced& model, const char* kind, std::string name, double predicted,
                       double alone, std::vector<stretch::Group> groups) {
  Candidate candidate;
  candidate.kind = kind;
  candidate.name = std::move(name);
  candidate.predicted = predicted;
  candidate.predicted_alone = alone;
  candidate.plan = stretch::plan_of(model.graph, model.flow, model.processors, std::move(groups));
  return candidate;
}

}  // namespace

Result<std::vector<Candidate>> division_candidates(
    const Pieced& model, const std::function<void(const std::string&)>& says,
    const std::function<void(const std::string& what, std::size_t further)>& tell,
    const Control& control) {
  std::vector<Candidate> candidates;
  const std::size_t processors = model.processors.size();
  if (processors < 2) return candidates;
  stretch::Chain chain = stretch::chain_of(model.graph, model.flow, model.regions);
  if (chain.regions.size() > kMostRegions)
    says("the model has " + std::to_string(chain.regions.size()) + " regions in a row; the first " +
         std::to_string(kMostRegions) + " are examined");
  stretch::keep_first(chain, kMostRegions);
  std::vector<double> slowness;
  for (const stretch::Processor& processor : model.processors)
    slowness.push_back(processor.emulated_slowdown);
  const bool listing = is_worth_listing(model.graph, model.flow, chain, model.regions, slowness);
  std::size_t further =
      chain.regions.size() * (chain.regions.size() + 5) / 2 + (listing ? kMostListedPieces : 0);

  std::optional<Error> failed;
  const auto seconds_of = [&](auto&& measure, const char* what) {
    if (failed && failed->kind == ErrorKind::kInterrupted) return kNever;
    const Result<Timing> timing = measure();
    if (!timing) failed = timing.error();
    if (!timing) return kNever;
    tell(what, further -= further > 0 ? 1 : 0);
    return timing->median;
  };
  const stretch::Cost cost = [&](const std::vector<int>& layers, std::size_t processor) {
    return seconds_of([&] { return model.pieces.of(layers, model.processors[processor], control); },
                      "pieces");
  };
  const stretch::SplitCost split_cost = [&](const stretch::Division::Split& split) {
    std::vector<stretch::Group> groups;
    for (std::size_t p = 0; p < processors; ++p)
      if (auto layers = together(chain, split, p); !layers.empty())
        groups.push_back({"part " + std::to_string(p + 1), std::move(layers), p});
    // All on one processor: nothing runs in parallel.
    if (groups.size() < 2) return cost(groups.front().layers, groups.front().processor);
    bool quiet = true;
    const double seconds = seconds_of(
        [&] {
          auto timing = model.pieces.at_once(groups, model.processors, control);
          quiet = !timing || timing->quiet >= kFewestQuiet;
          return timing;
        },
        "pieces at once");
    // With other programs running, both CPUs are rarely free at the same time; the separate times
    // of the parts are more accurate then.
    return quiet ? seconds : stretch::as_if_alone(chain, cost, processors, kHandingOver)(split);
  };

  if (!chain.regions.empty())
    for (Promise& promise : promises_of(chain, model.regions, cost, split_cost, processors))
      if (std::isfinite(promise.seconds))
        candidates.push_back(candidate_of(model, "regions", std::move(promise.name),
                                          promise.seconds, promise.alone,
                                          stretch::groups_of(chain, promise.division, processors)));
  if (listing)
    if (auto listed = listed_promise(model.graph, model.flow, cost, processors))
      candidates.push_back(candidate_of(model, "tasks", std::move(listed->name), listed->seconds,
                                        listed->seconds, std::move(listed->groups)));
  if (failed && failed->kind == ErrorKind::kInterrupted) return *std::move(failed);
  if (failed) says("a piece could not be measured: " + failed->what);
  std::stable_sort(
      candidates.begin(), candidates.end(),
      [](const Candidate& a, const Candidate& b) { return *a.predicted < *b.predicted; });
  return candidates;
}

}  // namespace edgeprobe::placement
