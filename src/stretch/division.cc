// SPDX-License-Identifier: Apache-2.0
#include "stretch/division.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <string>

#include "core/index.h"

namespace edgeprobe::stretch {
namespace {

/// Returns the nodes after this one.
std::vector<bool> behind(const Flow& flow, int node) {
  std::vector<bool> seen(flow.before.size());
  std::vector<int> open{node};
  while (!open.empty()) {
    const int next = open.back();
    open.pop_back();
    for (const int one : flow.after[at(next)]) {
      if (seen[at(one)]) continue;
      seen[at(one)] = true;
      open.push_back(one);
    }
  }
  return seen;
}

constexpr std::size_t kMostWays = 4096;

double slowest(const std::vector<std::vector<double>>& cost,
               const std::vector<std::size_t>& where) {
  std::vector<double> busy(cost.front().size());
  for (std::size_t branch = 0; branch < where.size(); ++branch)
    busy[where[branch]] += cost[branch][where[branch]];
  return *std::max_element(busy.begin(), busy.end());
}

/// Assigns the longest branch first, each to the processor that finishes it first.
std::vector<std::size_t> longest_first(const std::vector<std::vector<double>>& cost) {
  const std::size_t processors = cost.front().size();
  std::vector<std::size_t> order(cost.size()), where(cost.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return cost[a].front() > cost[b].front(); });
  std::vector<double> busy(processors);
  for (const std::size_t branch : order) {
    std::size_t best = 0;
    for (std::size_t p = 1; p < processors; ++p)
      if (busy[p] + cost[branch][p] < busy[best] + cost[branch][best]) best = p;
    busy[best] += cost[branch][best];
    where[branch] = best;
  }
  return where;
}

}  // namespace

Chain chain_of(const model::Graph& graph, const Flow& flow, const Regions& regions) {
  Chain chain;
  const std::size_t layers = graph.layers.size();
  chain.passed.assign(layers, -1);
  chain.region_of.assign(layers, -1);
  chain.branch_of.assign(layers, -1);
  for (const int node : flow.order)
    if (at(node) < layers) chain.passed[at(node)] = 0;
  std::vector<bool> ended(flow.before.size(), true);  // By node: true if it comes after the last
                                                      // region of the chain.
  for (std::size_t i = 0; i < regions.list.size(); ++i) {
    const Region& region = regions.list[i];
    const int fork = region.fork < 0 ? flow.source : region.fork;
    if (region.inside >= 0 || !ended[at(fork)]) continue;
    const int place = static_cast<int>(chain.regions.size());
    chain.regions.push_back(static_cast<int>(i));
    for (std::size_t k = 0; k < region.branches.size(); ++k)
      for (const int layer : region.branches[k].part.layers)
        if (chain.passed[at(layer)] >= 0) {
          chain.region_of[at(layer)] = place;
          chain.branch_of[at(layer)] = static_cast<int>(k);
        }
    const int join = region.join < 0 ? flow.sink : region.join;
    ended = behind(flow, join);
    ended[at(join)] = true;
    for (std::size_t layer = 0; layer < layers; ++layer)
      if (ended[layer] && chain.passed[layer] >= 0) chain.passed[layer] = place + 1;
  }
  return chain;
}

void keep_first(Chain& chain, std::size_t regions) {
  if (chain.regions.size() <= regions) return;
  const int most = static_cast<int>(regions);
  chain.regions.resize(regions);
  for (int& passed : chain.passed) passed = std::min(passed, most);
  for (int& region : chain.region_of)
    if (region >= most) region = -1;
}

std::vector<int> alone(const Chain& chain, std::optional<std::size_t> after,
                       std::optional<std::size_t> before) {
  const int first = after ? static_cast<int>(*after) + 1 : 0;
  const int last = before ? static_cast<int>(*before) : static_cast<int>(chain.regions.size());
  std::vector<int> layers;
  for (std::size_t layer = 0; layer < chain.passed.size(); ++layer)
    if (chain.passed[layer] >= first && chain.passed[layer] <= last &&
        !(before && chain.region_of[layer] == last))
      layers.push_back(static_cast<int>(layer));
  return layers;
}

std::vector<int> together(const Chain& chain, const Division::Split& split, std::size_t processor) {
  std::vector<int> layers;
  for (std::size_t layer = 0; layer < chain.region_of.size(); ++layer)
    if (chain.region_of[layer] == static_cast<int>(split.region) &&
        split.processors[at(chain.branch_of[layer])] == processor)
      layers.push_back(static_cast<int>(layer));
  return layers;
}

std::vector<Group> groups_of(const Chain& chain, const Division& division, std::size_t processors) {
  std::vector<Group> groups;
  const auto add = [&](std::string name, std::vector<int> layers, std::size_t processor) {
    if (!layers.empty()) groups.push_back({std::move(name), std::move(layers), processor});
  };
  std::optional<std::size_t> last;
  for (std::size_t i = 0; i <= division.splits.size(); ++i) {
    const bool is_end = i == division.splits.size();
    const auto next = is_end ? std::nullopt : std::optional(division.splits[i].region);
    add("alone " + std::to_string(i + 1), alone(chain, last, next), 0);
    if (is_end) break;
    for (std::size_t processor = 0; processor < processors; ++processor)
      add("region " + std::to_string(chain.regions[*next] + 1) + " part " +
              std::to_string(processor + 1),
          together(chain, division.splits[i], processor), processor);
    last = next;
  }
  return groups;
}

SplitCost as_if_alone(const Chain& chain, const Cost& cost, std::size_t processors,
                      double handing_over) {
  return [&chain, &cost, processors, handing_over](const Division::Split& split) {
    double slowest = 0;
    for (std::size_t processor = 0; processor < processors; ++processor)
      if (const auto layers = together(chain, split, processor); !layers.empty())
        slowest = std::max(slowest, cost(layers, processor));
    return slowest + 2 * handing_over;
  };
}

double seconds_of(const Chain& chain, const Division& division, const Cost& cost,
                  const SplitCost& split_cost) {
  double seconds = 0;
  std::optional<std::size_t> last;
  const auto add_alone = [&](std::optional<std::size_t> next) {
    if (const auto layers = alone(chain, last, next); !layers.empty()) seconds += cost(layers, 0);
  };
  for (const Division::Split& split : division.splits) {
    add_alone(split.region);
    seconds += split_cost(split);
    last = split.region;
  }
  add_alone(std::nullopt);
  return seconds;
}

Divided divide(const Chain& chain, const Cost& cost, const SplitCost& split_cost,
               const Assignment& assignment) {
  const std::size_t count = chain.regions.size();
  const auto alone_cost = [&](std::optional<std::size_t> after, std::optional<std::size_t> before) {
    const auto layers = alone(chain, after, before);
    return layers.empty() ? 0.0 : cost(layers, 0);
  };
  // Least time up to the end of each split, and the split before it.
  std::vector<double> least(count, std::numeric_limits<double>::infinity());
  std::vector<std::optional<std::size_t>> previous(count);
  std::vector<Division::Split> splits(count);
  for (std::size_t i = 0; i < count; ++i) {
    splits[i] = {i, assignment(i)};
    least[i] = alone_cost(std::nullopt, i);
    for (std::size_t before = 0; before < i; ++before)
      if (const double way = least[before] + alone_cost(before, i); way < least[i]) {
        least[i] = way;
        previous[i] = before;
      }
    least[i] += split_cost(splits[i]);
  }
  Divided best{{}, alone_cost(std::nullopt, std::nullopt)};
  std::optional<std::size_t> end;
  for (std::size_t i = 0; i < count; ++i)
    if (const double way = least[i] + alone_cost(i, std::nullopt); way < best.seconds) {
      best.seconds = way;
      end = i;
    }
  for (; end; end = previous[*end])
    best.division.splits.insert(best.division.splits.begin(), splits[*end]);
  return best;
}

std::vector<std::size_t> assign(const std::vector<std::vector<double>>& cost) {
  std::vector<std::size_t> best = longest_first(cost);
  const std::size_t processors = cost.front().size();
  std::size_t ways = 1;
  for (std::size_t branch = 0; branch < cost.size(); ++branch)
    if ((ways *= processors) > kMostWays) return best;
  std::vector<std::size_t> where(cost.size());
  for (std::size_t way = 0; way < ways; ++way) {
    std::size_t rest = way;
    for (std::size_t& one : where) {
      one = rest % processors;
      rest /= processors;
    }
    if (slowest(cost, where) < slowest(cost, best)) best = where;
  }
  return best;
}

}  // namespace edgeprobe::stretch
