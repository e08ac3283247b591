// SPDX-License-Identifier: Apache-2.0
#include "stretch/tasks.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "core/index.h"

namespace edgeprobe::stretch {
namespace {

/// A task with less than this share of the total work joins another one.
constexpr double kLight = 0.01;

/// Joins layers into tasks.
class Joining {
 public:
  Joining(const model::Graph& graph, const Flow& flow) {
    nodes_.resize(flow.before.size());
    for (const int node : flow.order) {
      if (at(node) >= graph.layers.size()) continue;
      Node& made = nodes_[at(node)];
      made.layers = {node};
      made.work = static_cast<double>(graph.layers[at(node)].macs.value_or(0));
      total_ += made.work;
      ++count_;
      for (const int one : flow.before[at(node)])
        if (at(one) < graph.layers.size()) {
          made.before.insert(one);
          nodes_[at(one)].after.insert(node);
        }
    }
  }

  std::size_t count() const { return count_; }

  /// Joins layers in a row, and those without work, until nothing changes.
  void join_rows() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const Node& node = nodes_[i];
        if (node.layers.empty()) continue;
        const bool light = node.work < kLight * total_;
        // In both cases, no other task is between the two.
        if (node.after.size() == 1) {
          const int next = *node.after.begin();
          if (light || nodes_[at(next)].before.size() == 1) {
            join(static_cast<int>(i), next);
            changed = true;
            continue;
          }
        }
        if (light && node.before.size() == 1) {
          join(*node.before.begin(), static_cast<int>(i));
          changed = true;
        }
      }
    }
  }

  /// Joins the task with the least work with its lightest possible neighbour; false if there is
  /// none.
  bool join_lightest() {
    std::optional<std::pair<int, int>> best;
    double least = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      for (const int next : nodes_[i].after) {
        const double a = nodes_[i].work, b = nodes_[at(next)].work;
        const double work = std::min(a, b) * total_ + std::max(a, b);
        if ((best && work >= least) || !is_only_way(static_cast<int>(i), next)) continue;
        best = {static_cast<int>(i), next};
        least = work;
      }
    if (best) join(best->first, best->second);
    return best.has_value();
  }

  std::vector<Task> tasks() const {
    std::vector<int> order;
    std::set<int> seen;
    const std::function<void(int)> visit = [&](int node) {
      if (!seen.insert(node).second) return;
      for (const int one : nodes_[at(node)].before) visit(one);
      order.push_back(node);
    };
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (!nodes_[i].layers.empty()) visit(static_cast<int>(i));
    std::map<int, std::size_t> place;
    std::vector<Task> tasks;
    for (const int node : order) {
      place[node] = tasks.size();
      Task task{nodes_[at(node)].layers, {}, nodes_[at(node)].work};
      for (const int one : nodes_[at(node)].before) task.before.push_back(place[one]);
      std::sort(task.layers.begin(), task.layers.end());
      std::sort(task.before.begin(), task.before.end());
      tasks.push_back(std::move(task));
    }
    return tasks;
  }

 private:
  struct Node {
    std::vector<int> layers;
    std::set<int> before, after;
    double work = 0;
  };

  /// True if the edge is the only path from a to b.
  bool is_only_way(int a, int b) const {
    if (nodes_[at(a)].after.size() == 1 || nodes_[at(b)].before.size() == 1) return true;
    std::vector<int> open(nodes_[at(a)].after.begin(), nodes_[at(a)].after.end());
    std::set<int> seen{b};
    while (!open.empty()) {
      const int node = open.back();
      open.pop_back();
      if (!seen.insert(node).second) continue;
      for (const int next : nodes_[at(node)].after) {
        if (next == b) return false;
        open.push_back(next);
      }
    }
    return true;
  }

  /// Joins b into a.
  void join(int a, int b) {
    Node &one = nodes_[at(a)], other = std::move(nodes_[at(b)]);
    nodes_[at(b)] = {};
    one.layers.insert(one.layers.end(), other.layers.begin(), other.layers.end());
    one.work += other.work;
    for (const int node : other.before) {
      nodes_[at(node)].after.erase(b);
      if (node == a) continue;
      nodes_[at(node)].after.insert(a);
      one.before.insert(node);
    }
    for (const int node : other.after) {
      nodes_[at(node)].before.erase(b);
      nodes_[at(node)].before.insert(a);
      one.after.insert(node);
    }
    --count_;
  }

  /// By layer: the node of the task's first layer; without layers: joined elsewhere.
  std::vector<Node> nodes_;
  double total_ = 0;
  std::size_t count_ = 0;
};

}  // namespace

std::vector<Task> tasks_of(const model::Graph& graph, const Flow& flow, std::size_t most) {
  Joining joining(graph, flow);
  joining.join_rows();
  while (joining.count() > most && joining.join_lightest()) joining.join_rows();
  return joining.tasks();
}

}  // namespace edgeprobe::stretch
