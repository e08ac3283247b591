// SPDX-License-Identifier: Apache-2.0
#include "stretch/groups.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/index.h"
#include "model/cut.h"
#include "stretch/merge.h"
#include "stretch/schedule.h"

namespace edgeprobe::stretch {
namespace {

using model::Graph;
using model::Layer;

/// A layer as a merge whose inputs start at offsets that engines accept; empty if it is not a
/// Concat of this kind.
std::optional<Merge> merge_of(const Graph& graph, const Layer& layer,
                              const std::vector<std::string>& texts) {
  if (layer.outputs.size() != 1 || layer.inputs.size() < 2 ||
      std::any_of(layer.inputs.begin(), layer.inputs.end(), [](int input) { return input < 0; }))
    return std::nullopt;
  const int whole = layer.outputs.front();
  const auto axis = axis_of(graph, whole, layer.inputs);
  if (!axis) return std::nullopt;
  Merge merge{texts[at(whole)], {}};
  std::int64_t first = 0;
  for (const int input : layer.inputs) {
    const std::int64_t count = graph.tensors[at(input)].spec.shape[*axis];
    merge.slices.push_back({texts[at(input)], first, count});
    first += count;
  }
  const auto offsets = offsets_of(graph, merge, "", &layer, whole, layer.inputs);
  const std::size_t width = size_of(graph.tensors[at(whole)].spec.dtype);
  if (!offsets || std::any_of(offsets->begin(), offsets->end(), [&](std::size_t offset) {
        return offset * width % Arena::kAlignment != 0;
      }))
    return std::nullopt;
  return merge;
}

/// By layer: its group; -1: none.
std::vector<int> homes_of(const Graph& graph, const std::vector<Group>& groups) {
  std::vector<int> home(graph.layers.size(), -1);
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (const int layer : groups[i].layers) home[at(layer)] = static_cast<int>(i);
  return home;
}

/// Takes layers that need no processor out of their groups, each as a merge.
std::vector<std::pair<int, Merge>> take_concats(const Graph& graph, const Flow& flow,
                                                const std::vector<std::string>& texts,
                                                std::vector<Group>& groups) {
  std::vector<std::pair<int, Merge>> taken;
  const std::vector<int> home = homes_of(graph, groups);
  std::set<int> sliced;
  for (const Layer& layer : graph.layers) {
    const int group = home[at(layer.index)];
    auto merge = group < 0 ? std::nullopt : merge_of(graph, layer, texts);
    if (!merge) continue;
    // Each input has one maker in another group, and is in only one whole.
    std::set<int> inputs;
    const bool fits = std::all_of(layer.inputs.begin(), layer.inputs.end(), [&](int input) {
      const int maker = flow.maker[at(input)];
      return maker != flow.source && at(maker) < home.size() && home[at(maker)] >= 0 &&
             home[at(maker)] != group && !flow.settled[at(input)] && !flow.restored[at(input)] &&
             sliced.count(input) == 0 && inputs.insert(input).second;
    });
    if (!fits) continue;
    sliced.insert(inputs.begin(), inputs.end());
    taken.emplace_back(layer.index, *std::move(merge));
    std::erase(groups[at(group)].layers, layer.index);
  }
  return taken;
}

std::vector<std::string> names_of(const std::vector<std::string>& texts,
                                  const std::vector<int>& tensors) {
  std::vector<std::string> names;
  for (const int tensor : tensors) names.push_back(texts[at(tensor)]);
  return names;
}

/// Steps of all processors. A group waits for the groups on other processors whose tensors it
/// reads; a processor never waits twice for the same step.
std::vector<Program> programs_of(const Plan& plan, const std::vector<Group>& groups,
                                 const std::vector<std::set<std::size_t>>& needs) {
  // Groups that another processor waits for, and, for each pair of processors, the last group known
  // to be finished.
  std::vector<std::vector<std::size_t>> waits(groups.size());
  std::set<std::size_t> signalled;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> known;  // (waiting, other): groups + 1
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::map<std::size_t, std::size_t> last;  // By other processor: the latest group needed.
    for (const std::size_t need : needs[i])
      if (groups[need].processor != groups[i].processor)
        last[groups[need].processor] = std::max(last[groups[need].processor], need);
    for (const auto& [other, need] : last) {
      std::size_t& done = known[{groups[i].processor, other}];
      if (done > need) continue;
      done = need + 1;
      waits[i].push_back(need);
      signalled.insert(need);
    }
  }
  std::vector<Program> programs;
  for (std::size_t processor = 0; processor < plan.processors.size(); ++processor) {
    Program program{plan.processors[processor].name, {}};
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (groups[i].processor != processor) continue;
      for (const std::size_t need : waits[i])
        program.steps.push_back({Step::Kind::kWait, groups[need].name + " done"});
      program.steps.push_back({Step::Kind::kRun, groups[i].name});
      if (signalled.count(i) > 0)
        program.steps.push_back({Step::Kind::kSignal, groups[i].name + " done"});
    }
    if (!program.steps.empty()) programs.push_back(std::move(program));
  }
  return programs;
}

}  // namespace

Plan plan_of(const Graph& graph, const Flow& flow, const std::vector<Processor>& processors,
             std::vector<Group> groups, bool merge_concats) {
  Plan plan;
  plan.format = graph.format;
  plan.layers = layer_texts(graph);
  const std::vector<std::string> texts = tensor_texts(graph);
  std::vector<std::pair<int, Merge>> concats;
  if (merge_concats) concats = take_concats(graph, flow, texts, groups);
  // Layers whose results each reader computes itself need no piece.
  std::erase_if(groups, [&](const Group& group) {
    return std::all_of(group.layers.begin(), group.layers.end(), [&](int layer) {
      const auto& outputs = graph.layers[at(layer)].outputs;
      return std::all_of(outputs.begin(), outputs.end(),
                         [&](int output) { return output >= 0 && flow.restored[at(output)]; });
    });
  });

  std::map<int, std::size_t> maker;  // By tensor: the group that makes it.
  std::vector<model::Part> parts;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    parts.push_back(part_of(graph, flow, groups[i].layers));
    for (const int output : parts.back().outputs) maker[output] = i;
    plan.pieces.push_back({groups[i].name, names_of(texts, parts.back().inputs),
                           names_of(texts, parts.back().outputs)});
  }
  std::map<int, std::vector<int>> slices;  // Keyed by whole.
  for (auto& [index, merge] : concats) {
    slices[graph.layers[at(index)].outputs.front()] = graph.layers[at(index)].inputs;
    plan.merges.push_back(std::move(merge));
  }
  std::vector<std::set<std::size_t>> needs(groups.size());
  const auto add_needs = [&](auto&& self, std::size_t group, int tensor) -> void {
    if (const auto found = maker.find(tensor); found != maker.end() && found->second != group)
      needs[group].insert(found->second);
    if (const auto whole = slices.find(tensor); whole != slices.end())
      for (const int slice : whole->second) self(self, group, slice);
  };
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (const int input : parts[i].inputs) add_needs(add_needs, i, input);
  plan.processors = processors;
  plan.programs = programs_of(plan, groups, needs);
  // A processor without a program would be opened for nothing.
  std::erase_if(plan.processors, [&](const Processor& processor) {
    return std::none_of(plan.programs.begin(), plan.programs.end(), [&](const Program& program) {
      return program.processor == processor.name;
    });
  });
  return plan;
}

}  // namespace edgeprobe::stretch
