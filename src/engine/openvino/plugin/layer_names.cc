// SPDX-License-Identifier: Apache-2.0
#include "engine/openvino/plugin/layer_names.h"

#include <algorithm>
#include <openvino/op/constant.hpp>
#include <openvino/op/parameter.hpp>
#include <openvino/op/result.hpp>
#include <set>
#include <unordered_map>

namespace edgeprobe::engine::openvino {
namespace {

using Node = ov::Node;
using Layers = std::set<int32_t>;

bool is_constant(const Node* node) { return ov::is_type<ov::op::v0::Constant>(node); }

/// Skips transposes: the node that computes the values of `node`.
template <class N>
N* behind_transposes(N* node) {
  while (node->get_type_name() == std::string_view("Transpose")) node = node->get_input_node_ptr(0);
  return node;
}

/// Nodes that two readings of one model have in common, found backwards from their common outputs.
/// More outputs add consumers; before those, only transposes move.
std::unordered_map<const Node*, Node*> common_nodes(const ov::Model& model,
                                                    const ov::Model& promoted) {
  // From a node of `promoted` to its counterpart in `model`.
  std::unordered_map<const Node*, Node*> twin;
  std::vector<std::pair<const Node*, Node*>> waiting;
  const auto& results = model.get_results();
  const auto& other_results = promoted.get_results();
  for (std::size_t i = 0; i < results.size() && i < other_results.size(); ++i)
    waiting.emplace_back(other_results[i].get(), results[i].get());
  while (!waiting.empty()) {
    const auto* const there = behind_transposes(waiting.back().first);
    auto* const here = behind_transposes(waiting.back().second);
    waiting.pop_back();
    if (twin.contains(there) || there->get_type_info() != here->get_type_info() ||
        there->get_input_size() != here->get_input_size())
      continue;
    twin[there] = here;
    for (std::size_t i = 0; i < here->get_input_size(); ++i)
      if (there->input_value(i).get_index() == here->input_value(i).get_index())
        waiting.emplace_back(there->get_input_node_ptr(i), here->get_input_node_ptr(i));
  }
  return twin;
}

/// The node that computes an output, skipping nodes that only convert its layout or type.
const Node* computing(const Node* node, const std::unordered_map<const Node*, Node*>& twin) {
  static const std::set<std::string> kDress = {
      "Result",   "Transpose", "Reshape", "Convert",      "Unsqueeze", "Squeeze", "Subtract",
      "Multiply", "Add",       "Divide",  "FakeQuantize", "Round",     "Clamp"};
  for (int steps = 0;
       steps < 12 && kDress.contains(node->get_type_name()) && node->get_input_size() > 0;
       ++steps) {
    if (node->get_type_name() != std::string_view("Result") && twin.contains(node)) return node;
    for (std::size_t i = 1; i < node->get_input_size(); ++i)
      if (!is_constant(node->get_input_node_ptr(i))) return node;
    node = node->get_input_node_ptr(0);
  }
  return node;
}

using Anchors = std::unordered_map<const Node*, Layers>;

/// The nodes whose output is a layer's output.
Anchors anchors_of(const ov::Model& model, const LayerSource& source) {
  Anchors anchors;
  if (source.promoted) {
    const auto twin = common_nodes(model, *source.promoted);
    const auto& results = source.promoted->get_results();
    for (std::size_t i = 0; i < results.size() && i < source.layers.size(); ++i) {
      const auto found = twin.find(computing(results[i].get(), twin));
      if (source.layers[i] >= 0 && found != twin.end())
        anchors[found->second].insert(source.layers[i]);
    }
    return anchors;
  }
  std::unordered_map<std::string, int32_t> by_name;
  for (std::size_t i = 0; i < source.names.size(); ++i) by_name[source.names[i]] = source.layers[i];
  for (const auto& node : model.get_ops())
    for (const auto& output : node->outputs())
      for (const std::string& name : output.get_names())
        if (const auto found = by_name.find(name); found != by_name.end())
          anchors[node.get()].insert(found->second);
  return anchors;
}

/// Nodes that round a layer's output to its quantised type follow the node that computes it.
void take_rounding_along(const ov::NodeVector& ordered, Anchors& anchors) {
  for (const auto& node : ordered) {
    const std::string_view type = node->get_type_name();
    if ((type != "FakeQuantize" && type != "Convert") || anchors.contains(node.get())) continue;
    const auto found = anchors.find(behind_transposes(node->get_input_node_ptr(0)));
    if (found != anchors.end()) anchors.emplace(node.get(), Layers(found->second));
  }
}

/// "#7#", even inside a name that OpenVINO derived: "#7#/DequantizationMultiply".
std::string short_name_in(std::string_view name) {
  const std::size_t end = name.starts_with('#') ? name.find('#', 1) : std::string_view::npos;
  return end == std::string_view::npos ? std::string() : std::string(name.substr(0, end + 1));
}

}  // namespace

std::map<std::string, Origin> name_layers(const std::shared_ptr<ov::Model>& model,
                                          const LayerSource& source) {
  Anchors anchors = anchors_of(*model, source);
  std::unordered_map<const Node*, Layers> part_of;
  const auto ordered = model->get_ordered_ops();
  take_rounding_along(ordered, anchors);
  for (auto at = ordered.rbegin(); at != ordered.rend(); ++at) {
    const Node* const node = at->get();
    if (const auto anchor = anchors.find(node); anchor != anchors.end()) {
      part_of[node] = anchor->second;
      continue;
    }
    // Inside a layer all consumers belong to it; if they disagree, the layer is unknown.
    bool first = true;
    Layers& mine = part_of[node];
    for (const auto& output : node->outputs())
      for (const auto& input : output.get_target_inputs()) {
        const Layers& theirs = part_of[input.get_node()];
        if (first) mine = theirs;
        if (!first && mine != theirs) mine.clear();
        first = false;
      }
  }
  std::map<std::string, Origin> origins;
  for (const auto& node : ordered) {
    const std::string short_name = "#" + std::to_string(origins.size()) + "#";
    const Layers& own = part_of[node.get()];
    const bool works = !is_constant(node.get()) &&
                       !ov::is_type<ov::op::v0::Parameter>(node.get()) &&
                       !ov::is_type<ov::op::v0::Result>(node.get());
    origins[short_name] = {
        node->get_friendly_name(),
        works ? std::vector<int32_t>(own.begin(), own.end()) : std::vector<int32_t>{}};
    node->set_friendly_name(short_name);
  }
  return origins;
}

std::vector<int32_t> layers_of(const std::string& names,
                               const std::map<std::string, Origin>& origins) {
  Layers layers;
  for (std::size_t from = 0; from <= names.size();) {
    const std::size_t comma = std::min(names.find(',', from), names.size());
    const auto found =
        origins.find(short_name_in(std::string_view(names).substr(from, comma - from)));
    if (found != origins.end())
      layers.insert(found->second.layers.begin(), found->second.layers.end());
    from = comma + 1;
  }
  return {layers.begin(), layers.end()};
}

std::string original(const std::string& name, const std::map<std::string, Origin>& origins) {
  std::string text = name;
  for (std::size_t at = 0; (at = text.find('#', at)) != std::string::npos;) {
    const std::size_t end = text.find('#', at + 1);
    if (end == std::string::npos) break;
    const auto found = origins.find(text.substr(at, end + 1 - at));
    if (found == origins.end()) {
      at = end;
      continue;
    }
    text.replace(at, end + 1 - at, found->second.name);
    at += found->second.name.size();
  }
  return text;
}

}  // namespace edgeprobe::engine::openvino
