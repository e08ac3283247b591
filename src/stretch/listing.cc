// SPDX-License-Identifier: Apache-2.0
#include "stretch/listing.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "core/index.h"

namespace edgeprobe::stretch {
namespace {

constexpr std::size_t kMostWays = 4096;

/// By task: the longest path from its beginning to the end, from the `cost` of tasks and the time
/// for `handing_over` between two.
template <class CostOf, class HandingOver>
std::vector<double> ranks(const std::vector<Task>& tasks, const CostOf& cost,
                          const HandingOver& handing_over) {
  std::vector<double> rank(tasks.size());
  for (std::size_t i = tasks.size(); i-- > 0;) {
    rank[i] += cost(i);
    for (const std::size_t before : tasks[i].before)
      rank[before] = std::max(rank[before], rank[i] + handing_over(before, i));
  }
  return rank;
}

/// Places tasks one after the other and records where they are.
class Placing {
 public:
  Placing(const std::vector<Task>& tasks, const std::vector<std::vector<double>>& cost,
          double handing_over)
      : tasks_(tasks),
        cost_(cost),
        handing_over_(handing_over),
        end_(tasks.size()),
        done_(tasks.size()),
        free_(cost.front().size()) {
    listing.processors.resize(tasks.size());
  }

  bool is_ready(std::size_t task) const {
    return !done_[task] &&
           std::all_of(tasks_[task].before.begin(), tasks_[task].before.end(),
                       [&](std::size_t before) { return static_cast<bool>(done_[before]); });
  }
  double begin(std::size_t task, std::size_t p) const {
    double begin = free_[p];
    for (const std::size_t before : tasks_[task].before)
      begin = std::max(begin, end_[before] + (listing.processors[before] == p ? 0 : handing_over_));
    return begin;
  }
  void put(std::size_t task, std::size_t p) {
    free_[p] = end_[task] = begin(task, p) + cost_[task][p];
    listing.processors[task] = p;
    listing.order.push_back(task);
    listing.seconds = std::max(listing.seconds, end_[task]);
    done_[task] = true;
  }

  Listing listing;

 private:
  const std::vector<Task>& tasks_;
  const std::vector<std::vector<double>>& cost_;
  double handing_over_;
  std::vector<double> end_;
  std::vector<bool> done_;
  std::vector<double> free_;
};

/// Places each task, by rank, on the processor where it ends first.
Listing earliest_ends(const std::vector<Task>& tasks, const std::vector<std::vector<double>>& cost,
                      double handing_over) {
  // The placement is not known yet: use the fastest processor for each task, without hand-over.
  const auto rank = ranks(
      tasks,
      [&](std::size_t task) { return *std::min_element(cost[task].begin(), cost[task].end()); },
      [](std::size_t, std::size_t) { return 0.0; });
  Placing placing(tasks, cost, handing_over);
  while (placing.listing.order.size() < tasks.size()) {
    std::size_t next = tasks.size();
    for (std::size_t i = 0; i < tasks.size(); ++i)
      if (placing.is_ready(i) && (next == tasks.size() || rank[i] > rank[next])) next = i;
    std::size_t first = 0;
    for (std::size_t p = 1; p < cost[next].size(); ++p)
      if (placing.begin(next, p) + cost[next][p] < placing.begin(next, first) + cost[next][first])
        first = p;
    placing.put(next, first);
  }
  return std::move(placing.listing);
}

}  // namespace

Listing listed(const std::vector<Task>& tasks, const std::vector<std::vector<double>>& cost,
               const std::vector<std::size_t>& processors, double handing_over) {
  const auto rank = ranks(
      tasks, [&](std::size_t task) { return cost[task][processors[task]]; },
      [&](std::size_t a, std::size_t b) {
        return processors[a] == processors[b] ? 0 : handing_over;
      });
  Listing best;
  best.seconds = std::numeric_limits<double>::infinity();
  // A processor may idle until the task with the longest path is ready, or run any ready task.
  for (const bool may_rest : {true, false}) {
    Placing placing(tasks, cost, handing_over);
    while (placing.listing.order.size() < tasks.size()) {
      std::size_t next = tasks.size();
      double begin = 0;
      for (std::size_t i = 0; i < tasks.size(); ++i) {
        if (!placing.is_ready(i)) continue;
        const double mine = may_rest ? 0 : placing.begin(i, processors[i]);
        if (next < tasks.size() && (mine > begin || (mine == begin && rank[i] <= rank[next])))
          continue;
        next = i;
        begin = mine;
      }
      placing.put(next, processors[next]);
    }
    if (placing.listing.seconds < best.seconds) best = std::move(placing.listing);
  }
  return best;
}

Listing list_schedule(const std::vector<Task>& tasks, const std::vector<std::vector<double>>& cost,
                      double handing_over) {
  if (tasks.empty()) return {};
  const std::size_t processors = cost.front().size();
  Listing best = earliest_ends(tasks, cost, handing_over);
  const auto take = [&](const std::vector<std::size_t>& where) {
    Listing other = listed(tasks, cost, where, handing_over);
    const bool better = other.seconds < best.seconds;
    if (better) best = std::move(other);
    return better;
  };
  take(std::vector<std::size_t>(best.processors));
  // Running everything on one processor is a schedule, too.
  for (std::size_t p = 0; p < processors; ++p) take(std::vector<std::size_t>(tasks.size(), p));
  std::size_t ways = 1;
  for (std::size_t i = 0; i < tasks.size() && ways <= kMostWays; ++i) ways *= processors;
  if (ways <= kMostWays) {
    std::vector<std::size_t> where(tasks.size());
    for (std::size_t way = 0; way < ways; ++way) {
      std::size_t rest = way;
      for (std::size_t& one : where) {
        one = rest % processors;
        rest /= processors;
      }
      take(where);
    }
    return best;
  }
  for (bool gained = true; gained;) {
    gained = false;
    for (std::size_t task = 0; task < tasks.size(); ++task)
      for (std::size_t p = 0; p < processors; ++p) {
        std::vector<std::size_t> where = best.processors;
        where[task] = p;
        gained = take(where) || gained;
      }
  }
  return best;
}

std::vector<Group> groups_of(const std::vector<Task>& tasks, const Listing& listing,
                             HandingOn handing_on) {
  std::vector<bool> is_awaited(tasks.size());  // By task: True if another processor needs it.
  for (std::size_t task = 0; task < tasks.size(); ++task)
    for (const std::size_t before : tasks[task].before)
      if (listing.processors[before] != listing.processors[task]) is_awaited[before] = true;
  std::vector<Group> groups;
  std::vector<std::size_t> home(tasks.size());
  // By processor: its group that may still grow.
  std::map<std::size_t, std::size_t> open;
  // By processor: the groups that it has waited for.
  std::map<std::size_t, std::set<std::size_t>> known;
  for (const std::size_t task : listing.order) {
    const std::size_t p = listing.processors[task];
    bool waits = false;
    for (const std::size_t before : tasks[task].before) {
      const std::size_t group = home[before];
      if (groups[group].processor == p) continue;
      // Its readers must not wait for tasks that might be added later.
      if (const auto found = open.find(groups[group].processor);
          found != open.end() && found->second == group)
        open.erase(found);
      waits = known[p].insert(group).second || waits;
    }
    if (waits || open.count(p) == 0) {
      open[p] = groups.size();
      groups.push_back({"part " + std::to_string(groups.size() + 1), {}, p});
    }
    home[task] = open[p];
    std::vector<int>& layers = groups[home[task]].layers;
    layers.insert(layers.end(), tasks[task].layers.begin(), tasks[task].layers.end());
    if (handing_on == HandingOn::kEarly && is_awaited[task]) open.erase(p);
  }
  for (Group& group : groups) std::sort(group.layers.begin(), group.layers.end());
  return groups;
}

double end_of(const Flow& flow, const std::vector<Group>& groups, const std::vector<double>& cost,
              double handing_over) {
  std::map<int, std::size_t> home;  // Keyed by layer.
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (const int layer : groups[i].layers) home[layer] = i;
  std::vector<double> end(groups.size());
  std::map<std::size_t, double> free;  // Time when each processor is free.
  double last = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    double begin = free[groups[i].processor];
    for (const int layer : groups[i].layers)
      for (const int before : flow.before[at(layer)])
        if (const auto found = home.find(before); found != home.end() && found->second != i)
          begin = std::max(
              begin,
              end[found->second] +
                  (groups[found->second].processor == groups[i].processor ? 0 : handing_over));
    free[groups[i].processor] = end[i] = begin + cost[i];
    last = std::max(last, end[i]);
  }
  return last;
}

}  // namespace edgeprobe::stretch
