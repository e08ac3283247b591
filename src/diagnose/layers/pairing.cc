// SPDX-License-Identifier: Apache-2.0
#include "diagnose/layers/pairing.h"

#include <algorithm>
#include <set>

#include "compare/align/op_kind.h"
#include "core/index.h"
#include "model/qdq.h"

namespace edgeprobe::layers {
namespace {

bool is_conversion(const model::Layer& layer) { return compare::is_conversion(layer.type); }
std::size_t count_ops(const model::Graph& graph) {
  return static_cast<std::size_t>(
      std::count_if(graph.layers.begin(), graph.layers.end(),
                    [](const model::Layer& layer) { return !is_conversion(layer); }));
}

void add_pair(Pairing& pairing, std::set<int>& paired, const std::vector<int>& maker, int reference,
              int target, int target_layer) {
  pairing.target_of.emplace(reference, target);
  const int layer = maker[at(reference)];
  if (layer < 0 || !paired.insert(layer).second) return;
  pairing.ops.push_back({layer, target_layer, reference, target, layer});
}

void find_counterparts(const model::Graph& reference, const model::Graph& target,
                       const std::vector<int>& maker, Pairing& pairing) {
  constexpr int kMostFused = 3;
  for (OpPair& pair : pairing.ops) {
    const std::string_view wanted = compare::op_kind(target.layers[at(pair.target_layer)].type);
    int layer = pair.reference_layer;
    for (int hops = 0; hops <= kMostFused && layer >= 0; ++hops) {
      const model::Layer& one = reference.layers[at(layer)];
      if (compare::op_kind(one.type) == wanted) {
        pair.counterpart = layer;
        break;
      }
      const int read = one.inputs.empty() ? -1 : one.inputs[0];
      layer = read < 0 || pairing.target_of.count(read) ? -1 : maker[at(read)];
    }
  }
}

void in_order(Pairing& pairing) {
  std::sort(pairing.ops.begin(), pairing.ops.end(),
            [](const OpPair& a, const OpPair& b) { return a.reference_layer < b.reference_layer; });
}

}  // namespace

std::vector<int> makers(const model::Graph& graph) { return model::result_layers(graph); }

bool rounds_to_codes(const model::Graph& graph) {
  return std::any_of(graph.tensors.begin(), graph.tensors.end(),
                     [](const auto& tensor) { return !tensor.spec.quantization.empty(); });
}

std::string output_name(const model::Graph& graph, int layer) {
  const auto& outputs = graph.layers[at(layer)].outputs;
  return outputs.empty() || outputs[0] < 0 ? "" : graph.tensors[at(outputs[0])].spec.name;
}

int origin(const model::Graph& graph, int tensor) {
  const std::vector<int> forms = model::stored_forms(graph), maker = makers(graph);
  tensor = forms[at(tensor)];
  for (std::size_t hops = 0; hops < graph.layers.size(); ++hops) {
    if (maker[at(tensor)] < 0) break;
    const model::Layer& layer = graph.layers[at(maker[at(tensor)])];
    if (!is_conversion(layer) || layer.inputs.empty() || layer.inputs[0] < 0) break;
    tensor = forms[at(layer.inputs[0])];
  }
  return tensor;
}

Pairing pair_up(const model::Graph& reference, const model::Graph& target) {
  Pairing pairing;
  pairing.operators = std::min(count_ops(reference), count_ops(target));
  const std::vector<int> maker_r = makers(reference), maker_t = makers(target);
  std::set<int> paired;
  if (reference.sha256 == target.sha256) {
    const std::vector<int> forms = model::stored_forms(reference);
    for (const int input : reference.inputs) pairing.target_of.emplace(input, input);
    for (const model::Layer& layer : reference.layers)
      for (const int output : layer.outputs)
        if (output >= 0 && !is_conversion(layer))
          add_pair(pairing, paired, maker_r, forms[at(output)], forms[at(output)], layer.index);
    return pairing;
  }
  std::vector<int> tensors_r, tensors_t;
  const auto items_r = compare::items_of(reference, tensors_r),
             items_t = compare::items_of(target, tensors_t);
  for (const compare::AlignedPair& pair : compare::align(items_r, items_t).pairs) {
    if (!pair.permutation.empty()) continue;
    const int r = origin(reference, tensors_r[pair.reference]),
              t = origin(target, tensors_t[pair.target]);
    // A conversion at the edge of the graph may lead to an input on one side only.
    if ((maker_r[at(r)] < 0) != (maker_t[at(t)] < 0)) continue;
    add_pair(pairing, paired, maker_r, r, t, maker_t[at(t)]);
  }
  std::erase_if(pairing.ops, [](const OpPair& pair) { return pair.target_layer < 0; });
  find_counterparts(reference, target, maker_r, pairing);
  in_order(pairing);
  return pairing;
}

Pairing pair_up(const model::Graph& reference,
                const std::vector<const trace::ReadChannel*>& channels) {
  Pairing pairing;
  pairing.operators = std::min(count_ops(reference), channels.size());
  std::vector<trace::Channel> plain;
  for (const trace::ReadChannel* channel : channels) plain.push_back(channel->channel);
  std::vector<int> tensors;
  const std::vector<int> maker = makers(reference);
  std::set<int> paired;
  for (const compare::AlignedPair& pair :
       compare::align(compare::items_of(reference, tensors), compare::items_of(plain)).pairs)
    if (pair.permutation.empty())
      add_pair(pairing, paired, maker, origin(reference, tensors[pair.reference]),
               static_cast<int>(pair.target), -1);
  in_order(pairing);
  return pairing;
}

std::map<int, const trace::ReadChannel*> channels_of(const trace::Reader& reader,
                                                     const model::Graph& graph) {
  std::map<int, const trace::ReadChannel*> found;
  const auto fits = [&](int tensor, const trace::ReadChannel& channel) {
    const auto& spec = graph.tensors[at(tensor)].spec;
    return spec.dtype == channel.channel.spec.dtype && !found.count(tensor);
  };
  // Of tensors that values can flow through; a name that two share stands for neither.
  std::map<std::string, int> by_name;
  const auto add_name = [&](int tensor) {
    if (tensor < 0) return;
    const auto [place, fresh] = by_name.emplace(graph.tensors[at(tensor)].spec.name, tensor);
    if (!fresh && place->second != tensor) place->second = -1;
  };
  for (const int input : graph.inputs) add_name(input);
  for (const model::Layer& layer : graph.layers)
    for (const int output : layer.outputs) add_name(output);

  for (const trace::ReadChannel& channel : reader.channels()) {
    const trace::Channel& c = channel.channel;
    const bool input = c.stage == trace::Stage::kModelInput,
               output = c.stage == trace::Stage::kModelOutput;
    if (channel.messages == 0 || !trace::of_model(c.stage)) continue;
    int tensor = -1;
    if (c.tensor >= 0 && at(c.tensor) < graph.tensors.size() &&
        graph.tensors[at(c.tensor)].spec.name == c.spec.name)
      tensor = c.tensor;
    if (tensor < 0)
      if (const auto named = by_name.find(c.spec.name); named != by_name.end())
        tensor = named->second;
    const std::vector<int>& ends = input ? graph.inputs : graph.outputs;
    if (tensor < 0 && (input || output) && c.position >= 0 && at(c.position) < ends.size())
      tensor = ends[at(c.position)];
    if (tensor < 0 && c.stage == trace::Stage::kLayer && c.position >= 0 &&
        at(c.position) < graph.layers.size()) {
      const model::Layer& layer = graph.layers[at(c.position)];
      if (layer.type == c.layer_type && layer.outputs.size() == 1) tensor = layer.outputs[0];
    }
    if (tensor >= 0 && fits(tensor, channel)) found[tensor] = &channel;
  }
  return found;
}

}  // namespace edgeprobe::layers
