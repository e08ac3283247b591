// SPDX-License-Identifier: Apache-2.0
#include "stretch/groups.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "core/index.h"
#include "model/cut.h"

namespace edgeprobe::stretch {
namespace {

using model::Graph;
using model::Layer;

bool is_closed(const Shape& shape) {
  return std::all_of(shape.begin(), shape.end(), [](std::int64_t size) { return size > 0; });
}

/// The axis along which a layer puts its inputs one behind the other, where their memory lies so
/// too: all dimensions before it are 1. Told from shapes; nothing where two axes would do.
std::optional<std::size_t> memory_axis(const Graph& graph, const Layer& layer) {
  if (layer.type != "Concat" && layer.type != "CONCATENATION") return std::nullopt;
  if (layer.outputs.size() != 1 || layer.inputs.size() < 2) return std::nullopt;
  const model::ModelTensor& whole = graph.tensors[at(layer.outputs.front())];
  const Shape& shape = whole.spec.shape;
  if (!whole.shape_known || !is_closed(shape)) return std::nullopt;
  std::optional<std::size_t> axis;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::int64_t sum = 0;
    bool fits = true;
    for (const int input : layer.inputs) {
      if (input < 0) return std::nullopt;
      const model::ModelTensor& part = graph.tensors[at(input)];
      if (!part.shape_known || part.spec.shape.size() != shape.size() ||
          part.spec.dtype != whole.spec.dtype ||
          !(part.spec.quantization == whole.spec.quantization))
        return std::nullopt;
      for (std::size_t other = 0; other < shape.size(); ++other)
        if (other != d && part.spec.shape[other] != shape[other]) fits = false;
      sum += part.spec.shape[d];
    }
    if (!fits || sum != shape[d]) continue;
    if (axis) return std::nullopt;
    axis = d;
  }
  if (!axis) return std::nullopt;
  for (std::size_t d = 0; d < *axis; ++d)
    if (shape[d] != 1) return std::nullopt;
  return axis;
}

/// Whether each input begins where engines like memory to begin, so that none has to copy.
bool is_aligned(const Graph& graph, const Layer& layer, std::size_t axis) {
  constexpr std::size_t kAlignment = 64;
  const TensorSpec& whole = graph.tensors[at(layer.outputs.front())].spec;
  std::size_t each = size_of(whole.dtype);  // Bytes of one place of the axis.
  for (std::size_t d = axis + 1; d < whole.shape.size(); ++d)
    each *= static_cast<std::size_t>(whole.shape[d]);
  std::size_t offset = 0;
  for (const int input : layer.inputs) {
    if (offset % kAlignment != 0) return false;
    offset += static_cast<std::size_t>(graph.tensors[at(input)].spec.shape[axis]) * each;
  }
  return true;
}

/// By layer, the group that it lies in; -1: none.
std::vector<int> homes_of(const Graph& graph, const std::vector<Group>& groups) {
  std::vector<int> home(graph.layers.size(), -1);
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (const int layer : groups[i].layers) home[at(layer)] = static_cast<int>(i);
  return home;
}

/// The layers that need no processor, each with its axis, taken out of their groups.
std::vector<std::pair<int, std::size_t>> take_concats(const Graph& graph, const Flow& flow,
                                                      std::vector<Group>& groups) {
  std::vector<std::pair<int, std::size_t>> taken;
  const std::vector<int> home = homes_of(graph, groups);
  std::set<int> sliced;
  for (const Layer& layer : graph.layers) {
    const int group = home[at(layer.index)];
    const auto axis = group < 0 ? std::nullopt : memory_axis(graph, layer);
    if (!axis) continue;
    if (!is_aligned(graph, layer, *axis)) continue;
    // Each input is made by another group, once, and lies in one whole alone.
    std::set<int> inputs;
    const bool fits = std::all_of(layer.inputs.begin(), layer.inputs.end(), [&](int input) {
      const int maker = flow.maker[at(input)];
      return maker != flow.source && at(maker) < home.size() && home[at(maker)] >= 0 &&
             home[at(maker)] != group && !flow.settled[at(input)] && sliced.count(input) == 0 &&
             inputs.insert(input).second;
    });
    if (!fits) continue;
    sliced.insert(inputs.begin(), inputs.end());
    taken.emplace_back(layer.index, *axis);
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

/// Steps of all processors. A group waits for the groups of other processors whose tensors it
/// reads; what a processor has waited for, it need not wait for again.
std::vector<Program> programs_of(const Plan& plan, const std::vector<Group>& groups,
                                 const std::vector<std::set<std::size_t>>& needs) {
  // Groups that somebody on another processor waits for, and the last one of each processor that
  // each processor knows to be done.
  std::vector<std::vector<std::size_t>> waits(groups.size());
  std::set<std::size_t> signalled;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> known;  // (waiting, other): groups + 1
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::map<std::size_t, std::size_t> last;  // By other processor the latest group needed.
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
  std::vector<std::pair<int, std::size_t>> concats;
  if (merge_concats) concats = take_concats(graph, flow, groups);
  std::erase_if(groups, [](const Group& group) { return group.layers.empty(); });

  std::map<int, std::size_t> maker;  // By tensor the group that makes it.
  std::vector<model::Part> parts;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    parts.push_back(part_of(graph, flow, groups[i].layers));
    for (const int output : parts.back().outputs) maker[output] = i;
    plan.pieces.push_back({groups[i].name, names_of(texts, parts.back().inputs),
                           names_of(texts, parts.back().outputs)});
  }
  std::map<int, std::vector<int>> slices;  // By whole.
  for (const auto& [index, axis] : concats) {
    const Layer& layer = graph.layers[at(index)];
    Merge merge{texts[at(layer.outputs.front())], {}};
    std::int64_t first = 0;
    for (const int input : layer.inputs) {
      const std::int64_t count = graph.tensors[at(input)].spec.shape[axis];
      merge.slices.push_back({texts[at(input)], first, count});
      first += count;
    }
    slices[layer.outputs.front()] = layer.inputs;
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
  std::set<std::size_t> used;
  for (const Group& group : groups) used.insert(group.processor);
  plan.processors = processors;
  plan.programs = programs_of(plan, groups, needs);
  // A processor without a program would be opened for nothing.
  for (std::size_t processor = processors.size(); processor-- > 0;)
    if (used.count(processor) == 0)
      plan.processors.erase(plan.processors.begin() + static_cast<std::ptrdiff_t>(processor));
  return plan;
}

}  // namespace edgeprobe::stretch
