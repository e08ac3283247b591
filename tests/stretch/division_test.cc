// SPDX-License-Identifier: Apache-2.0
// The search over divisions against all divisions, and what plan_of() makes of them against the
// rules of a plan.
#include "stretch/division.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>
#include <set>

#include "drawn.h"
#include "stretch/schedule.h"

namespace edgeprobe::stretch {
namespace {

using model::Graph;
using testing::Drawn;

/// A chain of layers and regions of 2 or 3 branches, each of 1 or 2 layers; some joins are a
/// Concat.
Graph chain_of_regions(std::mt19937& random, std::size_t regions) {
  Drawn drawn;
  int last = drawn.input("x", {1, 16, 4, 4});
  int names = 0;
  const auto name = [&] { return "t" + std::to_string(++names); };
  const auto layer = [&](int from) { return drawn.layer(name(), {from}, {1, 16, 4, 4}); };
  for (std::size_t region = 0; region < regions; ++region) {
    for (auto alone = random() % 3; alone > 0; --alone) last = layer(last);
    last = layer(last);
    std::vector<int> ends;
    for (auto branches = 2 + random() % 2; branches > 0; --branches) {
      int end = layer(last);
      if (random() % 2) end = layer(end);
      ends.push_back(end);
    }
    const auto count = static_cast<std::int64_t>(ends.size());
    last = random() % 2 ? drawn.layer(name(), ends, {1, 16 * count, 4, 4}, "Concat")
                        : drawn.layer(name(), ends, {1, 16, 4, 4}, "Sum");
    if (random() % 2) last = layer(last);
  }
  last = layer(last);
  drawn.graph.outputs = {last};
  return drawn.graph;
}

/// A cost that is independent of the search: a random but constant number for each set of layers.
class DrawnCost {
 public:
  explicit DrawnCost(unsigned seed) : random_(seed) {}
  double operator()(const std::vector<int>& layers, std::size_t processor) {
    auto [known, fresh] = known_.try_emplace({layers, processor}, 0.0);
    if (fresh)
      known->second = static_cast<double>(layers.size()) *
                      std::uniform_real_distribution<double>(0.5, 1.5)(random_) *
                      (processor == 0 ? 1 : 1.3);
    return known->second;
  }

 private:
  std::map<std::pair<std::vector<int>, std::size_t>, double> known_;
  std::mt19937 random_;
};

/// Sums the serial parts and the slowest part of each region, using only the groups.
double reckoned(const std::vector<Group>& groups, DrawnCost& cost, double handing_over) {
  double seconds = 0;
  std::map<std::string, double> slowest;
  for (const Group& group : groups) {
    const double one = cost(group.layers, group.processor);
    if (group.name.starts_with("alone")) seconds += one;
    else {
      double& most = slowest[group.name.substr(0, group.name.find(" part"))];
      most = std::max(most, one);
    }
  }
  for (const auto& [region, most] : slowest) seconds += most + 2 * handing_over;
  return seconds;
}

TEST(Divide, FindsWhatAllSubsetsHold) {
  std::mt19937 random(3);
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Graph graph = chain_of_regions(random, 1 + seed % 6);
    const auto flow = flow_of(graph);
    const auto regions = regions_of(graph);
    ASSERT_TRUE(flow && regions);
    const Chain chain = chain_of(graph, *flow, *regions);
    ASSERT_EQ(chain.regions.size(), 1 + seed % 6);
    const std::size_t processors = 2 + seed % 2;
    std::vector<std::vector<std::size_t>> where;
    for (const int region : chain.regions) {
      where.emplace_back();
      for (std::size_t b = 0; b < regions->list[static_cast<std::size_t>(region)].branches.size();
           ++b)
        where.back().push_back(random() % processors);
    }
    DrawnCost cost(seed);
    const double handing_over = 0.3;
    const Cost any = [&](const std::vector<int>& layers, std::size_t p) { return cost(layers, p); };
    const Divided found = divide(chain, any, as_if_alone(chain, any, processors, handing_over),
                                 [&](std::size_t region) { return where[region]; });
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t subset = 0; subset < (std::size_t{1} << chain.regions.size()); ++subset) {
      Division division;
      for (std::size_t i = 0; i < chain.regions.size(); ++i)
        if (subset >> i & 1) division.splits.push_back({i, where[i]});
      least = std::min(least, reckoned(groups_of(chain, division, processors), cost, handing_over));
    }
    EXPECT_NEAR(found.seconds, least, 1e-9) << seed;
    EXPECT_NEAR(reckoned(groups_of(chain, found.division, processors), cost, handing_over), least,
                1e-9)
        << seed;
  }
}

TEST(Divide, EachLayerIsInOneGroupAndThePlanSuitsTheModel) {
  std::mt19937 random(5);
  std::size_t merges = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Graph graph = chain_of_regions(random, seed % 5);
    const auto flow = flow_of(graph);
    const auto regions = regions_of(graph);
    ASSERT_TRUE(flow && regions);
    const Chain chain = chain_of(graph, *flow, *regions);
    Division division;
    for (std::size_t i = 0; i < chain.regions.size(); ++i) {
      if (random() % 3 == 0) continue;
      division.splits.push_back({i, {}});
      for (std::size_t b = 0;
           b < regions->list[static_cast<std::size_t>(chain.regions[i])].branches.size(); ++b)
        division.splits.back().processors.push_back(random() % 3);
    }
    const auto groups = groups_of(chain, division, 3);
    std::multiset<int> layers;
    for (const Group& group : groups) layers.insert(group.layers.begin(), group.layers.end());
    EXPECT_EQ(layers.size(), graph.layers.size());
    EXPECT_EQ(std::set<int>(layers.begin(), layers.end()).size(), graph.layers.size());
    const std::vector<Processor> processors{{"a", "onnxruntime", {0}, 1, 1},
                                            {"b", "onnxruntime", {1}, 1, 1},
                                            {"c", "openvino", {2}, 1, 1}};
    const Plan plan = plan_of(graph, *flow, processors, groups);
    merges += plan.merges.size();
    const auto read = read_plan(to_json(plan));
    ASSERT_TRUE(read) << read.error().what;
    const auto schedule = schedule_of(*read, graph);
    EXPECT_TRUE(schedule) << schedule.error().what << "\n" << to_json(plan);
  }
  EXPECT_GT(merges, 50u);
}

TEST(Assign, FindsTheLeastLastEndOfAllWays) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> drawn(0.1, 3);
  for (int round = 0; round < 100; ++round) {
    const std::size_t branches = 1 + random() % 6, processors = 1 + random() % 3;
    std::vector<std::vector<double>> cost(branches, std::vector<double>(processors));
    for (auto& row : cost)
      for (double& one : row) one = drawn(random);
    const auto end = [&](const std::vector<std::size_t>& where) {
      std::vector<double> busy(processors);
      for (std::size_t b = 0; b < branches; ++b) busy[where[b]] += cost[b][where[b]];
      return *std::max_element(busy.begin(), busy.end());
    };
    double least = std::numeric_limits<double>::infinity();
    std::vector<std::size_t> where(branches);
    const auto all = [&](auto&& self, std::size_t branch) -> void {
      if (branch == branches) least = std::min(least, end(where));
      else
        for (where[branch] = 0; where[branch] < processors; ++where[branch]) self(self, branch + 1);
    };
    all(all, 0);
    EXPECT_NEAR(end(assign(cost)), least, 1e-12);
  }
  EXPECT_EQ(assign(std::vector<std::vector<double>>(40, {1.0, 1.0})).size(), 40u);
}

}  // namespace
}  // namespace edgeprobe::stretch
