// SPDX-License-Identifier: Apache-2.0
#include "bisect/units.h"

#include <algorithm>
#include <set>

#include "core/index.h"
#include "core/text.h"
#include "model/cut.h"
#include "model/state.h"

namespace edgeprobe::bisect {
namespace {

bool is_shape(const std::string& type) {
  return type == "SHAPE" || type == "RANK" || type == "Shape" || type == "Size" ||
         type == "Constant";
}

// For each layer: true if its result only depends on the input shape.
std::vector<bool> settled_layers(const model::Graph& graph) {
  std::vector<bool> tensor(graph.tensors.size()), layers;
  for (std::size_t i = 0; i < tensor.size(); ++i) tensor[i] = graph.tensors[i].is_constant;
  for (const model::Layer& layer : graph.layers) {
    const bool settled = is_shape(layer.type) ||
                         (!layer.inputs.empty() &&
                          std::all_of(layer.inputs.begin(), layer.inputs.end(),
                                      [&](int input) { return input < 0 || tensor[at(input)]; }));
    layers.push_back(settled);
    for (const int output : layer.outputs)
      if (output >= 0) tensor[at(output)] = settled;
  }
  return layers;
}

// The tensors that cross a cut.
struct Crossing {
  std::vector<int> tensors;
  bool legal = true;
};

class Cutter {
 public:
  explicit Cutter(const model::Graph& graph)
      : graph_(graph), settled_(settled_layers(graph)), held_(graph.tensors.size()) {
    maker_.assign(graph.tensors.size(), -1);
    reader_.assign(graph.tensors.size(), -1);
    for (const int tensor : model::capturable(graph)) held_[at(tensor)] = true;
    for (const int tensor : graph.inputs) held_[at(tensor)] = true;
    for (const model::Layer& layer : graph.layers) {
      for (const int output : layer.outputs)
        if (output >= 0) maker_[at(output)] = layer.index;
      for (const auto* inputs : {&layer.inputs, &layer.implicit_inputs})
        for (const int input : *inputs)
          if (input >= 0) reader_[at(input)] = std::max(reader_[at(input)], layer.index);
    }
    for (const int output : graph.outputs) reader_[at(output)] = static_cast<int>(layers());
  }

  std::size_t layers() const { return graph_.layers.size(); }
  bool settled(int layer) const { return settled_[at(layer)]; }

  // Earlier reshapes whose results must be computed again if the layers [first, last] run
  // separately.
  std::set<int> reshaped_again(int first, int last) const {
    std::set<int> found;
    for (int l = first; l <= last; ++l)
      for (int input : graph_.layers[at(l)].inputs)
        for (; is_late(input); input = source(input))
          if (maker_[at(input)] < first) found.insert(maker_[at(input)]);
    return found;
  }

  Crossing before(int layer) const {
    Crossing crossing;
    std::vector<int> open;
    for (std::size_t t = 0; t < graph_.tensors.size(); ++t) {
      const bool made = maker_[t] >= 0 ? maker_[t] < layer : is_input(static_cast<int>(t));
      if (!made || reader_[t] < layer || graph_.tensors[t].is_constant) continue;
      int handed = static_cast<int>(t);
      while (is_late(handed)) handed = source(handed);
      if (held_[at(handed)]) crossing.tensors.push_back(handed);
      if (!held_[t]) open.push_back(static_cast<int>(t));
    }
    std::sort(crossing.tensors.begin(), crossing.tensors.end());
    crossing.tensors.erase(std::unique(crossing.tensors.begin(), crossing.tensors.end()),
                           crossing.tensors.end());
    if (open.empty()) return crossing;
    // Tensors that cannot be passed on are computed again after the cut. That is only correct if
    // they do not depend on values, or are copies of a tensor that is passed on.
    std::vector<bool> fed(graph_.tensors.size());
    for (const int tensor : crossing.tensors) fed[at(tensor)] = true;
    const model::Part again = model::part_for(graph_, open, fed);
    crossing.legal = std::all_of(again.layers.begin(), again.layers.end(), [&](int made) {
      return settled_[at(made)] || model::is_late_reshape(graph_, graph_.layers[at(made)]);
    });
    return crossing;
  }

 private:
  bool is_late(int tensor) const {
    if (tensor < 0 || held_[at(tensor)] || maker_[at(tensor)] < 0) return false;
    return model::is_late_reshape(graph_, graph_.layers[at(maker_[at(tensor)])]);
  }
  int source(int tensor) const { return graph_.layers[at(maker_[at(tensor)])].inputs.front(); }
  bool is_input(int tensor) const {
    return std::find(graph_.inputs.begin(), graph_.inputs.end(), tensor) != graph_.inputs.end();
  }

  const model::Graph& graph_;
  std::vector<bool> settled_, held_;
  std::vector<int> maker_, reader_;  ///< Indices of layers; `reader_` holds the last reader.
};

int named_by(const model::Graph& graph, int first, int last, const Cutter& cutter) {
  int named = last;
  std::uint64_t most = 0;
  for (int l = first; l <= last; ++l) {
    const model::Layer& layer = graph.layers[at(l)];
    if (layer.macs && *layer.macs > most) {
      most = *layer.macs;
      named = l;
    }
  }
  if (most > 0) return named;
  for (int l = first; l <= last; ++l) {
    const std::string& type = graph.layers[at(l)].type;
    if (!cutter.settled(l) && type != "QuantizeLinear" && type != "DequantizeLinear") named = l;
  }
  return named;
}

std::string layer_text(const model::Layer& layer, const model::Graph& graph) {
  std::string name = layer.name;
  if (name.empty() && !layer.outputs.empty() && layer.outputs.front() >= 0)
    name = graph.tensors[at(layer.outputs.front())].spec.name;
  return "#" + std::to_string(layer.index) + " " + sanitized(layer.type, 40) + " '" +
         sanitized(name, 60) + "'";
}

}  // namespace

Result<Units> units_of(const model::Graph& graph) {
  if (const std::string state = model::state_of(graph); !state.empty())
    return Error{ErrorKind::kUnsupported,
                 "the model keeps a state ('" + sanitized(state, 60) +
                     "') from one run to the next, so that its parts cannot run separately"};
  const Cutter cutter(graph);
  Units found;
  int first = 0;
  bool works = false;
  found.crossing.push_back(cutter.before(0).tensors);
  for (int l = 0; l < static_cast<int>(cutter.layers()); ++l) {
    works = works || !cutter.settled(l);
    const bool end = l + 1 == static_cast<int>(cutter.layers());
    Crossing crossing = cutter.before(l + 1);
    if (!end && (!works || !crossing.legal || crossing.tensors == found.crossing.back())) continue;
    if (end && !works) break;
    const std::set<int> again = cutter.reshaped_again(first, l);
    found.units.push_back(
        {first, l, named_by(graph, first, l, cutter), {again.begin(), again.end()}});
    // The last entry is the outputs, see below.
    found.crossing.push_back(std::move(crossing.tensors));
    first = l + 1;
    works = false;
  }
  if (found.units.empty())
    return Error{ErrorKind::kUnsupported, "the model has no operator that depends on its input"};
  found.units.back().last = static_cast<int>(cutter.layers()) - 1;
  found.crossing.back() = graph.outputs;
  return found;
}

Units joined(const model::Graph& graph, Units units, const std::vector<int>& tensors) {
  const Cutter cutter(graph);
  for (std::size_t c = units.units.size(); c-- > 1;) {
    const std::vector<int>& crossing = units.crossing[c];
    const bool open = std::any_of(crossing.begin(), crossing.end(), [&](int tensor) {
      return std::find(tensors.begin(), tensors.end(), tensor) != tensors.end();
    });
    if (!open) continue;
    Unit &before = units.units[c - 1], &behind = units.units[c];
    std::set<int> named{before.layer, behind.layer};
    named.insert(before.joined.begin(), before.joined.end());
    named.insert(behind.joined.begin(), behind.joined.end());
    before.last = behind.last;
    before.layer = named_by(graph, before.first, before.last, cutter);
    named.erase(before.layer);
    before.joined.assign(named.begin(), named.end());
    units.units.erase(units.units.begin() + static_cast<std::ptrdiff_t>(c));
    units.crossing.erase(units.crossing.begin() + static_cast<std::ptrdiff_t>(c));
  }
  return units;
}

std::string unit_text(const model::Graph& graph, const Unit& unit) {
  constexpr std::size_t kNamed = 3;
  std::string text = layer_text(graph.layers[at(unit.layer)], graph);
  for (std::size_t i = 0; i < std::min(kNamed, unit.joined.size()); ++i)
    text += (i ? ", " : " with ") + layer_text(graph.layers[at(unit.joined[i])], graph);
  if (unit.joined.size() > kNamed)
    text += " and " + std::to_string(unit.joined.size() - kNamed) + " more";
  const auto works = [&](int l) { return graph.layers[at(l)].macs.value_or(0) > 0; };
  int working = 0;
  for (int l = unit.first; l <= unit.last; ++l) working += works(l);
  if (working > 1 && unit.joined.empty())
    text += " or another of #" + std::to_string(unit.first) + " to #" + std::to_string(unit.last);
  return text;
}

}  // namespace edgeprobe::bisect
