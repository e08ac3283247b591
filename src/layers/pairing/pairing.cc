// SPDX-License-Identifier: Apache-2.0
#include "layers/pairing/pairing.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>

#include "compare/align/layout.h"
#include "compare/align/op_kind.h"
#include "core/index.h"
#include "layers/pairing/by_structure.h"
#include "model/dynamic_quantization.h"
#include "model/qdq.h"

namespace edgeprobe::layers {
namespace {

std::size_t count_ops(const model::Graph& graph) {
  return static_cast<std::size_t>(
      std::count_if(graph.layers.begin(), graph.layers.end(),
                    [](const model::Layer& layer) { return !compare::is_conversion(layer.type); }));
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
  std::map<int, int> dynamic;  // By the layer that computes their output.
  for (const model::DynamicOperator& one : model::dynamic_operators(target))
    dynamic.emplace(one.last, one.layer);
  for (OpPair& pair : pairing.ops) {
    const auto by_codes = dynamic.find(pair.target_layer);
    const int stands_for = by_codes == dynamic.end() ? pair.target_layer : by_codes->second;
    const std::string_view wanted = compare::op_kind(target.layers[at(stands_for)].type);
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

// Some values of one frame of both sides, in the reference's order, each read once.
class Samples {
 public:
  Samples(const Values& reference, const Values& target) : sides_{&reference, &target} {}

  std::optional<double> correlation(int reference, int target, const std::vector<int>& order) {
    const std::vector<float>& a = of(0, reference, {});
    const std::vector<float>& b = of(1, target, order);
    if (a.size() != b.size() || a.size() < 2) return std::nullopt;
    double sum_a = 0, sum_b = 0, aa = 0, bb = 0, ab = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!std::isfinite(a[i]) || !std::isfinite(b[i])) return std::nullopt;
      sum_a += a[i];
      sum_b += b[i];
    }
    const double n = static_cast<double>(a.size()), mean_a = sum_a / n, mean_b = sum_b / n;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double x = a[i] - mean_a, y = b[i] - mean_b;
      aa += x * x;
      bb += y * y;
      ab += x * y;
    }
    if (!(aa > 0) || !(bb > 0)) return std::nullopt;
    return ab / std::sqrt(aa * bb);
  }

 private:
  const std::vector<float>& of(std::size_t side, int tensor, const std::vector<int>& order) {
    const auto [place, fresh] = known_.try_emplace({side, tensor, order});
    std::vector<float>& kept = place->second;
    const Values& values = *sides_[side];
    if (!fresh || !values.find(tensor) || values.frames() == 0) return kept;
    const auto read = values.read(tensor, 0);
    if (!read) return kept;
    return kept = compare::scattered_values(*read, order);
  }

  const Values* sides_[2];
  std::map<std::tuple<std::size_t, int, std::vector<int>>, std::vector<float>> known_;
};

// Counts operators that a file of another format also has: without reshaping, folded ones, and
// those computed only from shapes.
std::size_t count_common_ops(const model::Graph& graph) {
  std::vector<bool> shown(graph.tensors.size());
  for (const int tensor : model::capturable(graph)) shown[at(tensor)] = true;
  for (const int tensor : graph.outputs) shown[at(tensor)] = true;
  return static_cast<std::size_t>(
      std::count_if(graph.layers.begin(), graph.layers.end(), [&](const model::Layer& layer) {
        return !compare::is_conversion(layer.type) && !compare::is_movement(layer.type) &&
               !is_folded(layer) && compare::op_kind(layer.type) != "pad" &&
               std::any_of(layer.outputs.begin(), layer.outputs.end(),
                           [&](int tensor) { return tensor >= 0 && shown[at(tensor)]; });
      }));
}

// Converts pairs of tensors to pairs of items.
void add_to(compare::AlignOptions& options, const compare::GraphPairs& by_graph,
            const std::vector<int>& tensors_r, const std::vector<int>& tensors_t) {
  const auto places = [](const std::vector<int>& tensors) {
    std::map<int, std::size_t> place;
    for (std::size_t i = 0; i < tensors.size(); ++i) place.emplace(tensors[i], i);
    return place;
  };
  const auto place_r = places(tensors_r), place_t = places(tensors_t);
  for (const auto& [from, to] : by_graph.tensors)
    if (const auto r = place_r.find(from), t = place_t.find(to);
        r != place_r.end() && t != place_t.end())
      options.by_graph.emplace_back(r->second, t->second);
  options.graph_before_names = by_graph.names_mislead;
}

void in_order(Pairing& pairing) {
  std::sort(pairing.ops.begin(), pairing.ops.end(),
            [](const OpPair& a, const OpPair& b) { return a.reference_layer < b.reference_layer; });
}

}  // namespace

std::vector<int> makers(const model::Graph& graph) { return model::result_layers(graph); }

bool rounds_to_codes(const model::Graph& graph) {
  return std::any_of(graph.tensors.begin(), graph.tensors.end(),
                     [](const auto& tensor) { return !tensor.spec.quantization.empty(); }) ||
         model::quantises_while_it_runs(graph);
}

std::string output_name(const model::Graph& graph, int layer) {
  const auto& outputs = graph.layers[at(layer)].outputs;
  return outputs.empty() || outputs[0] < 0 ? "" : graph.tensors[at(outputs[0])].spec.name;
}

std::vector<int> origins(const model::Graph& graph) {
  const std::vector<int> forms = model::stored_forms(graph), maker = makers(graph);
  std::vector<int> found;
  for (std::size_t start = 0; start < graph.tensors.size(); ++start) {
    int tensor = forms[start];
    for (std::size_t hops = 0; hops < graph.layers.size(); ++hops) {
      if (maker[at(tensor)] < 0) break;
      const model::Layer& layer = graph.layers[at(maker[at(tensor)])];
      if (!compare::is_conversion(layer.type) || layer.inputs.empty() || layer.inputs[0] < 0) break;
      tensor = forms[at(layer.inputs[0])];
    }
    found.push_back(tensor);
  }
  return found;
}

int origin(const model::Graph& graph, int tensor) { return origins(graph)[at(tensor)]; }

const std::vector<int>& Pairing::order_of(int target) const {
  static const std::vector<int> kAlike;
  const auto found = orders.find(target);
  return found == orders.end() ? kAlike : found->second;
}

Pairing pair_up(const model::Graph& reference, const model::Graph& target,
                const Values* reference_values, const Values* target_values,
                const compare::GraphPairs* by_graph) {
  Pairing pairing;
  pairing.operators = std::min(count_ops(reference), count_ops(target));
  const std::vector<int> maker_r = makers(reference), maker_t = makers(target);
  std::set<int> paired;
  if (reference.sha256 == target.sha256) {
    const std::vector<int> forms = model::stored_forms(reference);
    for (const int input : reference.inputs) pairing.target_of.emplace(input, input);
    for (const model::Layer& layer : reference.layers)
      for (const int output : layer.outputs)
        if (output >= 0 && !compare::is_conversion(layer.type))
          add_pair(pairing, paired, maker_r, forms[at(output)], forms[at(output)], layer.index);
    return pairing;
  }
  std::vector<int> tensors_r, tensors_t;
  const auto items_r = compare::items_of(reference, tensors_r),
             items_t = compare::items_of(target, tensors_t);
  const std::vector<int> of_r = origins(reference), of_t = origins(target);
  std::vector<int> origins_r, origins_t;
  for (const int tensor : tensors_r) origins_r.push_back(of_r[at(tensor)]);
  for (const int tensor : tensors_t) origins_t.push_back(of_t[at(tensor)]);
  compare::AlignOptions options;
  if (by_graph) add_to(options, *by_graph, tensors_r, tensors_t);
  std::optional<Samples> samples;
  if (reference.format != target.format && reference_values && target_values) {
    samples.emplace(*reference_values, *target_values);
    options.correlation = [&](std::size_t i, std::size_t j, const std::vector<int>& order) {
      return samples->correlation(origins_r[i], origins_t[j], order);
    };
  }
  std::map<int, int> found;
  std::vector<int> wanted;  // In the order of the alignment.
  const compare::Alignment alignment = compare::align(items_r, items_t, options);
  // The unquantised copy of a tensor paired by the graphs has no partner of its own.
  std::map<int, int> settled;
  for (const compare::AlignedPair& pair : alignment.pairs)
    if (pair.how == compare::Match::kGraph)
      settled.emplace(origins_t[pair.target], origins_r[pair.reference]);
  for (const compare::AlignedPair& pair : alignment.pairs) {
    if (!pair.permutation.empty() && !samples) continue;
    const int r = origins_r[pair.reference], t = origins_t[pair.target];
    if (const auto known = settled.find(t); known != settled.end() && known->second != r) continue;
    // A conversion at the edge of the graph may lead to an input on only one side.
    if ((maker_r[at(r)] < 0) != (maker_t[at(t)] < 0)) continue;
    if (!pair.permutation.empty()) pairing.orders.emplace(t, pair.permutation);
    if (found.emplace(r, t).second) wanted.push_back(r);
  }
  if (reference.format != target.format)
    pairing.operators = std::min(count_common_ops(reference), count_common_ops(target));
  // If the answers are equal, the values of every pair match.
  constexpr double kSame = 0.9999;
  const bool differs =
      samples && std::any_of(reference.outputs.begin(), reference.outputs.end(), [&](int output) {
        const auto partner = found.find(of_r[at(output)]);
        if (partner == found.end()) return true;
        const auto order = pairing.orders.find(partner->second);
        const auto alike = samples->correlation(
            partner->first, partner->second,
            order == pairing.orders.end() ? std::vector<int>{} : order->second);
        return !alike || *alike < kSame;
      });
  if (differs) {
    pair_by_structure(reference, target, found, pairing.orders);
    wanted.clear();
    for (const auto& [r, t] : found) wanted.push_back(r);
  }
  for (const int r : wanted)
    add_pair(pairing, paired, maker_r, r, found.at(r), maker_t[at(found.at(r))]);
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
  const std::vector<int> maker = makers(reference), of_r = origins(reference);
  std::set<int> paired;
  for (const compare::AlignedPair& pair :
       compare::align(compare::items_of(reference, tensors), compare::items_of(plain)).pairs)
    if (pair.permutation.empty())
      add_pair(pairing, paired, maker, of_r[at(tensors[pair.reference])],
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
  // Tensors through which values can flow; a name shared by two refers to neither.
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
