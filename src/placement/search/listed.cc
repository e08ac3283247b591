// SPDX-License-Identifier: Apache-2.0
#include "placement/search/listed.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/index.h"
#include "placement/search/divisions.h"
#include "stretch/listing.h"

namespace edgeprobe::placement {
namespace {

/// Cost of a cut for an engine, which must convert its layouts at the cut.
constexpr double kCutCosts[] = {15e-6, 60e-6};
/// Relative to the best division of a chain, by multiply-accumulates.
constexpr double kBetter = 0.95;

std::string text_of(const std::vector<stretch::Group>& groups) {
  std::string text;
  for (const stretch::Group& group : groups) {
    text += "; " + std::to_string(group.processor) + ":";
    for (const int layer : group.layers) text += " " + std::to_string(layer);
  }
  return text;
}

}  // namespace

bool is_worth_listing(const model::Graph& graph, const stretch::Flow& flow,
                      const stretch::Chain& chain, const stretch::Regions& regions,
                      const std::vector<double>& slowness) {
  const stretch::Cost work = [&](const std::vector<int>& layers, std::size_t processor) {
    double macs = 0;
    for (const int layer : layers)
      macs += static_cast<double>(graph.layers[at(layer)].macs.value_or(0));
    return macs * slowness[processor];
  };
  const auto assignment = [&](std::size_t region) {
    std::vector<std::vector<double>> costs;
    for (const stretch::Branch& branch : regions.list[at(chain.regions[region])].branches) {
      costs.emplace_back();
      for (std::size_t p = 0; p < slowness.size(); ++p)
        costs.back().push_back(work(branch.part.layers, p));
    }
    return stretch::assign(costs);
  };
  const double divided =
      stretch::divide(chain, work, stretch::as_if_alone(chain, work, slowness.size(), 0),
                      assignment)
          .seconds;
  const std::vector<stretch::Task> tasks = stretch::tasks_of(graph, flow, kMostTasks);
  std::vector<std::vector<double>> cost;
  for (const stretch::Task& task : tasks) {
    cost.emplace_back();
    for (std::size_t p = 0; p < slowness.size(); ++p)
      cost.back().push_back(task.work * slowness[p]);
  }
  return tasks.size() > 1 && stretch::list_schedule(tasks, cost, 0).seconds < kBetter * divided;
}

std::optional<ListedPromise> listed_promise(const model::Graph& graph, const stretch::Flow& flow,
                                            const stretch::Cost& cost, std::size_t processors) {
  const std::vector<stretch::Task> tasks = stretch::tasks_of(graph, flow, kMostTasks);
  std::vector<std::vector<double>> costs;
  for (const stretch::Task& task : tasks) {
    costs.emplace_back();
    for (std::size_t p = 0; p < processors; ++p) costs.back().push_back(cost(task.layers, p));
  }
  std::optional<ListedPromise> best;
  std::set<std::string> seen;
  for (const double cut : kCutCosts) {
    const stretch::Listing listing = stretch::list_schedule(tasks, costs, cut);
    for (const stretch::HandingOn handing_on :
         {stretch::HandingOn::kEarly, stretch::HandingOn::kLate}) {
      std::vector<stretch::Group> groups = stretch::groups_of(tasks, listing, handing_on);
      if (groups.size() < 2 || !seen.insert(text_of(groups)).second) continue;
      std::vector<double> seconds;
      for (const stretch::Group& group : groups)
        seconds.push_back(cost(group.layers, group.processor));
      const double end = stretch::end_of(flow, groups, seconds, kHandingOver);
      if (!std::isfinite(end) || (best && end >= best->seconds)) continue;
      best = ListedPromise{"list schedule over " + std::to_string(processors) + " processors",
                           std::move(groups), end};
    }
  }
  return best;
}

}  // namespace edgeprobe::placement
