// SPDX-License-Identifier: Apache-2.0
// List schedules against all schedules of small graphs, and what they are made of.
#include "stretch/listing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>

#include "drawn.h"
#include "stretch/schedule.h"

namespace edgeprobe::stretch {
namespace {

using model::Graph;
using testing::Drawn;

/// Layers that each read one to three earlier ones; unread tensors are outputs.
Graph any_graph(std::mt19937& random, int layers) {
  Drawn drawn;
  std::vector<int> made{drawn.input("x")};
  std::set<int> unread;
  for (int i = 0; i < layers; ++i) {
    std::set<int> inputs;
    for (auto count = 1 + random() % 3; count > 0; --count)
      inputs.insert(made[made.size() - 1 - random() % std::min<std::size_t>(made.size(), 4)]);
    for (const int input : inputs) unread.erase(input);
    made.push_back(
        drawn.layer("t" + std::to_string(i), {inputs.begin(), inputs.end()}, {1, 4}, "Sum"));
    unread.insert(made.back());
    drawn.graph.layers.back().macs = random() % 3 == 0 ? 0 : 1 + random() % 100;
  }
  drawn.graph.outputs = {unread.begin(), unread.end()};
  return drawn.graph;
}

/// Tasks that wait for some of the earlier ones.
std::vector<Task> any_tasks(std::mt19937& random, std::size_t count) {
  std::vector<Task> tasks(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t before = 0; before < i; ++before)
      if (random() % 3 == 0) tasks[i].before.push_back(before);
  return tasks;
}

std::vector<std::vector<double>> any_cost(std::mt19937& random, std::size_t tasks,
                                          std::size_t processors) {
  std::uniform_real_distribution<double> drawn(0.2, 3);
  std::vector<std::vector<double>> cost(tasks, std::vector<double>(processors));
  for (auto& row : cost)
    for (double& one : row) one = drawn(random);
  return cost;
}

/// The earliest end over all assignments and all orders.
struct AllSchedules {
  const std::vector<Task>& tasks;
  const std::vector<std::vector<double>>& cost;
  double handing_over;
  double least = std::numeric_limits<double>::infinity();
  std::vector<double> end = std::vector<double>(tasks.size(), -1);
  std::vector<std::size_t> where = std::vector<std::size_t>(tasks.size());

  void go_on(std::vector<double> free, double last, std::size_t placed) {
    if (placed == tasks.size()) least = std::min(least, last);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (end[i] >= 0) continue;
      bool ready = true;
      for (const std::size_t before : tasks[i].before) ready = ready && end[before] >= 0;
      if (!ready) continue;
      for (std::size_t p = 0; p < free.size(); ++p) {
        double begin = free[p];
        for (const std::size_t before : tasks[i].before)
          begin = std::max(begin, end[before] + (where[before] == p ? 0 : handing_over));
        end[i] = begin + cost[i][p];
        where[i] = p;
        auto next = free;
        next[p] = end[i];
        go_on(next, std::max(last, end[i]), placed + 1);
        end[i] = -1;
      }
    }
  }
};

TEST(ListSchedule, IsNearTheBestOfAllSchedules) {
  std::mt19937 random(11);
  double lost = 0;
  const int rounds = 120;
  for (int round = 0; round < rounds; ++round) {
    const auto tasks = any_tasks(random, 1 + random() % 6);
    const auto cost = any_cost(random, tasks.size(), 2);
    const double handing_over = round % 2 ? 0.3 : 0;
    AllSchedules all{tasks, cost, handing_over};
    all.go_on({0, 0}, 0, 0);
    const Listing found = list_schedule(tasks, cost, handing_over);
    EXPECT_GE(found.seconds, all.least - 1e-9);
    // The order by rank is not always the best one.
    EXPECT_LE(found.seconds, 1.25 * all.least + 1e-9) << round;
    lost += found.seconds / all.least - 1;
    EXPECT_LE(listed(tasks, cost, found.processors, handing_over).seconds, found.seconds + 1e-9);
  }
  EXPECT_LT(lost / rounds, 0.01);
}

TEST(ListSchedule, OfManyTasksIsNoWorseThanOneProcessorAndNearItsBound) {
  std::mt19937 random(12);
  for (int round = 0; round < 30; ++round) {
    auto tasks = any_tasks(random, 30);
    if (round == 0)
      for (Task& task : tasks) task.before.clear();
    const auto cost = any_cost(random, tasks.size(), 2);
    const Listing found = list_schedule(tasks, cost, 0.01);
    double shares = 0;
    for (std::size_t p = 0; p < 2; ++p) {
      double sum = 0;
      for (const auto& row : cost) sum += row[p];
      EXPECT_LE(found.seconds, sum + 1e-9);
    }
    for (const auto& row : cost) shares += std::min(row[0], row[1]) / 2;
    EXPECT_GE(found.seconds, shares);
    // No task waits for another: the only loss is work that cannot be divided evenly.
    if (round == 0) {
      EXPECT_LE(found.seconds, 1.25 * shares);
    }
  }
}

TEST(ListSchedule, GroupsEndWhenTasksDo) {
  std::mt19937 random(13);
  const std::vector<Processor> processors{{"a", "onnxruntime", {0}, 1, 1},
                                          {"b", "onnxruntime", {1}, 1, 1},
                                          {"c", "onnxruntime", {2}, 1, 1}};
  std::size_t later = 0;
  for (int round = 0; round < 200; ++round) {
    const Graph graph = any_graph(random, 3 + static_cast<int>(random() % 25));
    const auto flow = flow_of(graph);
    ASSERT_TRUE(flow);
    const auto tasks = tasks_of(graph, *flow, 12);
    const auto cost = any_cost(random, tasks.size(), 3);
    const Listing listing = list_schedule(tasks, cost, 0.1);
    double ends[2];
    std::size_t pieces[2];
    for (const HandingOn handing_on : {HandingOn::kEarly, HandingOn::kLate}) {
      const auto groups = groups_of(tasks, listing, handing_on);
      std::multiset<int> layers;
      std::vector<double> costs;
      for (const Group& group : groups) {
        layers.insert(group.layers.begin(), group.layers.end());
        costs.push_back(0);
        for (std::size_t task = 0; task < tasks.size(); ++task)
          if (std::binary_search(group.layers.begin(), group.layers.end(),
                                 tasks[task].layers.front()))
            costs.back() += cost[task][group.processor];
      }
      EXPECT_EQ(layers.size(), graph.layers.size());
      EXPECT_EQ(std::set<int>(layers.begin(), layers.end()).size(), graph.layers.size());
      const std::size_t which = handing_on == HandingOn::kEarly ? 0 : 1;
      ends[which] = end_of(*flow, groups, costs, 0.1);
      pieces[which] = groups.size();
      const Plan plan = plan_of(graph, *flow, processors, groups);
      const auto schedule = schedule_of(plan, graph);
      ASSERT_TRUE(schedule) << schedule.error().what << "\n" << to_json(plan);
    }
    EXPECT_NEAR(ends[0], listing.seconds, 1e-9);
    EXPECT_GE(ends[1], ends[0] - 1e-9);
    EXPECT_LE(pieces[1], pieces[0]);
    later += ends[1] > ends[0] + 1e-9 ? 1 : 0;
  }
  EXPECT_GT(later, 10u);
}

TEST(Tasks, HoldEachLayerOnceAndWaitForThoseBeforeThem) {
  std::mt19937 random(14);
  for (int round = 0; round < 200; ++round) {
    const Graph graph = any_graph(random, 3 + static_cast<int>(random() % 40));
    const auto flow = flow_of(graph);
    ASSERT_TRUE(flow);
    const auto tasks = tasks_of(graph, *flow, 8);
    EXPECT_LE(tasks.size(), 8u);
    std::vector<std::size_t> home(graph.layers.size(), tasks.size());
    double work = 0;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      for (const int layer : tasks[i].layers) {
        EXPECT_EQ(home[static_cast<std::size_t>(layer)], tasks.size());
        home[static_cast<std::size_t>(layer)] = i;
      }
      for (const std::size_t before : tasks[i].before) EXPECT_LT(before, i);
      work += tasks[i].work;
    }
    EXPECT_DOUBLE_EQ(work, static_cast<double>(graph.macs()));
    // A layer reads from its own task, or from one for which its task waits.
    for (const model::Layer& layer : graph.layers)
      for (const int before : flow->before[static_cast<std::size_t>(layer.index)]) {
        if (before == flow->source) continue;
        const std::size_t mine = home[static_cast<std::size_t>(layer.index)];
        const std::size_t other = home[static_cast<std::size_t>(before)];
        EXPECT_TRUE(mine == other || std::binary_search(tasks[mine].before.begin(),
                                                        tasks[mine].before.end(), other));
      }
  }
}

}  // namespace
}  // namespace edgeprobe::stretch
