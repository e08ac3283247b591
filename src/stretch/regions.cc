// SPDX-License-Identifier: Apache-2.0
#include "stretch/regions.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/index.h"
#include "model/closed_bytes.h"
#include "stretch/flow.h"

namespace edgeprobe::stretch {
namespace {

using model::Graph;

/// Layers on paths from `fork` to `join`, both excluded; `within`, ascending, restricts them.
std::set<int> between(const Flow& flow, int fork, int join, const std::vector<int>* within) {
  std::set<int> found;
  std::vector<int> open{fork};
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    for (const int next : flow.after[at(node)]) {
      if (within && !std::binary_search(within->begin(), within->end(), next)) continue;
      if (next != join && next != flow.sink && found.insert(next).second) open.push_back(next);
    }
  }
  return found;
}

/// Removes from `rest` the connected component of its first layer.
std::vector<int> take_component(const Flow& flow, std::set<int>& rest) {
  std::vector<int> component, open{*rest.begin()};
  rest.erase(rest.begin());
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    component.push_back(node);
    for (const auto* const list : {&flow.before[at(node)], &flow.after[at(node)]})
      for (const int next : *list)
        if (rest.erase(next) > 0) open.push_back(next);
  }
  std::sort(component.begin(), component.end());
  return component;
}

/// True if these layers depend only on the fork and each other.
bool waits_for_fork_alone(const Flow& flow, const std::vector<int>& component, int fork) {
  return std::all_of(component.begin(), component.end(), [&](int node) {
    return std::all_of(flow.before[at(node)].begin(), flow.before[at(node)].end(), [&](int one) {
      return one == fork || std::binary_search(component.begin(), component.end(), one);
    });
  });
}

/// This node and all nodes before it.
std::set<int> up_to(const Flow& flow, int node) {
  std::set<int> found{node, flow.source};
  std::vector<int> open{node};
  while (!open.empty()) {
    const int next = open.back();
    open.pop_back();
    for (const int one : flow.before[at(next)])
      if (found.insert(one).second) open.push_back(one);
  }
  return found;
}

std::optional<std::uint64_t> bytes_of(const Graph& graph, const std::vector<int>& tensors) {
  std::uint64_t bytes = 0;
  for (const int index : tensors) {
    const auto size = model::closed_bytes(graph.tensors[at(index)]);
    if (!size) return std::nullopt;
    bytes += *size;
  }
  return bytes;
}

/// Builds a branch from a connected component.
Branch branch_of(const Graph& graph, const Flow& flow, const std::vector<int>& component) {
  Branch branch;
  branch.part = part_of(graph, flow, component);
  for (const int layer : branch.part.layers) {
    const auto& macs = graph.layers[at(layer)].macs;
    branch.macs += macs.value_or(0);
    branch.unknown += macs ? 0 : 1;
  }
  branch.bytes_in = bytes_of(graph, branch.part.inputs);
  branch.bytes_out = bytes_of(graph, branch.part.outputs);
  return branch;
}

/// True if there is work for processors.
bool has_work(const Graph& graph, const std::vector<int>& layers) {
  return std::any_of(layers.begin(), layers.end(),
                     [&](int layer) { return graph.layers[at(layer)].macs != 0u; });
}

/// Components between two nodes that depend only on the first one.
std::vector<std::vector<int>> side_by_side(const Flow& flow, int fork, int join,
                                           const std::vector<int>* within) {
  std::vector<std::vector<int>> components;
  std::set<int> rest = between(flow, fork, join, within);
  while (!rest.empty()) {
    std::vector<int> component = take_component(flow, rest);
    if (waits_for_fork_alone(flow, component, fork)) components.push_back(std::move(component));
  }
  return components;
}

/// The node of a component that is on every path from the fork through it; -1: none.
int meeting_within(const Flow& flow, const std::vector<int>& component, int fork) {
  // A flow of the fork, the component, and one end node for everything after the component.
  Flow inner;
  inner.source = 0;
  inner.sink = static_cast<int>(component.size()) + 1;
  inner.after.resize(component.size() + 2);
  std::vector<int> nodes{fork};
  for (const int node : flow.order)
    if (std::binary_search(component.begin(), component.end(), node)) nodes.push_back(node);
  std::map<int, int> place;
  for (std::size_t i = 0; i < nodes.size(); ++i) place[nodes[i]] = static_cast<int>(i);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::set<int> after;
    for (const int next : flow.after[at(nodes[i])]) {
      const auto found = place.find(next);
      if (found != place.end()) after.insert(found->second);
      // The fork's other paths are not part of this component.
      else if (i > 0) after.insert(inner.sink);
    }
    inner.after[i] = {after.begin(), after.end()};
    inner.order.push_back(static_cast<int>(i));
  }
  inner.before.resize(inner.after.size());
  inner.order.push_back(inner.sink);
  const int meeting = meetings(inner).front();
  return meeting < 0 || meeting == inner.sink ? -1 : nodes[at(meeting)];
}

/// Adds the region after this node, up to where all its paths meet. If one branch has all the work,
/// as next to a shortcut, examines the paths inside that branch.
void add_regions(const Graph& graph, const Flow& flow, int fork, int join,
                 const std::vector<int>* within, std::vector<Region>& regions) {
  const auto components = side_by_side(flow, fork, join, within);
  const auto works = [&](const std::vector<int>& layers) { return has_work(graph, layers); };
  if (std::count_if(components.begin(), components.end(), works) < 2) {
    const auto found = std::find_if(components.begin(), components.end(), works);
    if (found == components.end()) return;
    const auto entries = std::count_if(
        flow.after[at(fork)].begin(), flow.after[at(fork)].end(),
        [&](int next) { return std::binary_search(found->begin(), found->end(), next); });
    if (entries < 2) return;
    if (const int meeting = meeting_within(flow, *found, fork); meeting >= 0)
      add_regions(graph, flow, fork, meeting, &*found, regions);
    return;
  }
  Region region;
  region.fork = fork == flow.source ? -1 : fork;
  region.join = join == flow.sink ? -1 : join;
  const std::set<int> there = up_to(flow, fork);
  std::ptrdiff_t working = 0;
  for (const std::vector<int>& component : components) {
    Branch branch = branch_of(graph, flow, component);
    // The shape of another branch's tensor carries no data, but still has to be waited for.
    const bool fed =
        std::all_of(branch.part.inputs.begin(), branch.part.inputs.end(),
                    [&](int tensor) { return there.count(flow.maker[at(tensor)]) > 0; });
    if (!fed || branch.part.outputs.empty()) continue;
    working += works(component) ? 1 : 0;
    region.branches.push_back(std::move(branch));
  }
  if (working < 2) return;
  std::stable_sort(region.branches.begin(), region.branches.end(),
                   [](const Branch& a, const Branch& b) { return a.macs > b.macs; });
  regions.push_back(std::move(region));
}

bool lies_in(const Region& region, const Branch& branch) {
  const std::vector<int>& layers = branch.part.layers;
  const std::vector<int>& inner = region.branches.front().part.layers;
  return region.fork >= 0 && std::binary_search(layers.begin(), layers.end(), region.fork) &&
         std::includes(layers.begin(), layers.end(), inner.begin(), inner.end());
}

std::uint64_t longest_way(const Graph& graph, const Flow& flow) {
  std::vector<std::uint64_t> until(flow.before.size());
  std::uint64_t longest = 0;
  for (const int node : flow.order) {
    std::uint64_t& way = until[at(node)];
    for (const int one : flow.before[at(node)]) way = std::max(way, until[at(one)]);
    if (node < flow.source) way += graph.layers[at(node)].macs.value_or(0);
    longest = std::max(longest, way);
  }
  return longest;
}

/// Work of the whole model; empty if any layer cannot be counted or none has work.
std::optional<double> work_of(const Graph& graph) {
  double all = 0;
  for (const model::Layer& layer : graph.layers) {
    if (!layer.macs) return std::nullopt;
    all += static_cast<double>(*layer.macs);
  }
  return all > 0 ? std::optional(all) : std::nullopt;
}

std::size_t layers_in(const Region& region) {
  std::size_t layers = 0;
  for (const Branch& branch : region.branches) layers += branch.part.layers.size();
  return layers;
}

}  // namespace

Result<Regions> regions_of(const Graph& graph) {
  EP_TRY(auto flow, flow_of(graph));
  const std::vector<int> meeting = meetings(flow);
  std::vector<Region> regions;
  for (const int node : flow.order) {
    if (flow.after[at(node)].size() < 2 || meeting[at(node)] < 0) continue;
    add_regions(graph, flow, node, meeting[at(node)], nullptr, regions);
  }
  // Outer regions first among equals; later code reports the innermost region that contains another
  // one.
  std::stable_sort(regions.begin(), regions.end(), [](const Region& a, const Region& b) {
    return a.fork != b.fork ? a.fork < b.fork : layers_in(a) > layers_in(b);
  });
  for (std::size_t i = 0; i < regions.size(); ++i)
    for (std::size_t outer = 0; outer < i; ++outer)
      for (const Branch& branch : regions[outer].branches)
        if (lies_in(regions[i], branch)) regions[i].inside = static_cast<int>(outer);
  return Regions{std::move(regions), longest_way(graph, flow)};
}

std::optional<double> speed_up(const Graph& graph, const std::vector<Region>& regions,
                               int processors) {
  const auto all = work_of(graph);
  if (!all || processors < 1) return std::nullopt;
  double saved = 0;
  for (const Region& region : regions) {
    if (region.inside >= 0) continue;
    std::vector<double> busy(static_cast<std::size_t>(processors));
    double together = 0;
    for (const Branch& branch : region.branches) {
      const auto work = static_cast<double>(branch.macs);
      *std::min_element(busy.begin(), busy.end()) += work;
      together += work;
    }
    saved += together - *std::max_element(busy.begin(), busy.end());
  }
  return *all / (*all - saved);
}

std::optional<double> limit(const Graph& graph, const Regions& regions) {
  const auto all = work_of(graph);
  if (!all || regions.longest_way == 0) return std::nullopt;
  return *all / static_cast<double>(regions.longest_way);
}

}  // namespace edgeprobe::stretch
