// SPDX-License-Identifier: Apache-2.0
#include "engine/onnxruntime/kernel_map.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

namespace edgeprobe::engine::onnxruntime {
namespace {

constexpr int kNobody = -1;

/// "com.microsoft.nchwc:Conv" → "Conv".
std::string plain_type(const std::string& type) { return type.substr(type.rfind(':') + 1); }

/// Suffixes that optimisers append to the name of a node that they replace.
std::string_view without_suffix(std::string_view name) {
  for (const std::string_view suffix :
       {"_nchwc", "/MatMulAddFusion", "/MatMulAddFusion/", "_token"})
    if (name.ends_with(suffix)) return name.substr(0, name.size() - suffix.size());
  const auto digits = name.find_last_not_of("0123456789");
  if (digits == std::string_view::npos || digits + 1 == name.size() || name[digits] != '_')
    return name;
  return name.substr(0, digits);
}

/// True if `before` is fused into the kernel that computes its input, never into the convolution or
/// pool that reads its output.
bool ends_a_kernel(const std::string& before, const std::string& after) {
  const auto among = [](const std::string& type, std::initializer_list<std::string_view> types) {
    return std::find(types.begin(), types.end(), type) != types.end();
  };
  if (before == "QuantizeLinear") return true;
  return among(before, {"Add", "Sum", "Mul", "Relu", "Clip", "LeakyRelu", "Sigmoid", "Tanh",
                        "HardSigmoid", "HardSwish", "BatchNormalization"}) &&
         among(after, {"Conv", "ConvTranspose", "MaxPool", "AveragePool", "GlobalMaxPool",
                       "GlobalAveragePool"});
}

class Mapping {
 public:
  Mapping(const model::Graph& original, const model::Graph& optimized)
      : original_(original), optimized_(optimized), owner_(original.layers.size(), kNobody) {
    for (const model::Layer& layer : original.layers) {
      for (const int tensor : layer.outputs)
        if (tensor >= 0) producer_[name_of(original, tensor)] = layer.index;
      if (layer.name.empty()) continue;
      const auto [entry, fresh] = by_name_.emplace(layer.name, layer.index);
      if (!fresh) entry->second = kNobody;  // An ambiguous name identifies no layer.
    }
  }

  std::vector<Kernel> run() {
    const std::size_t count = optimized_.layers.size();
    for (std::size_t k = 0; k < count; ++k) anchor(static_cast<int>(k));
    for (std::size_t k = count; k-- > 0;) take_what_feeds(static_cast<int>(k));
    take_what_follows();
    std::vector<Kernel> kernels;
    for (const model::Layer& layer : optimized_.layers) {
      Kernel kernel{layer.name, plain_type(layer.type), {}, {}};
      if (!layer.outputs.empty() && layer.outputs.front() >= 0)
        kernel.output =
            optimized_.tensors[static_cast<std::size_t>(layer.outputs.front())].spec.shape;
      kernels.push_back(std::move(kernel));
    }
    for (std::size_t l = 0; l < owner_.size(); ++l)
      if (owner_[l] != kNobody)
        kernels[static_cast<std::size_t>(owner_[l])].layers.push_back(static_cast<int>(l));
    return kernels;
  }

 private:
  static const std::string& name_of(const model::Graph& graph, int tensor) {
    return graph.tensors[static_cast<std::size_t>(tensor)].spec.name;
  }
  int producer_of(const std::string& tensor) const {
    const auto found = producer_.find(tensor);
    return found == producer_.end() ? kNobody : found->second;
  }

  /// The layer after which a node is named: by the name of the layer, or of a tensor that it
  /// produces.
  int layer_called(std::string_view name) const {
    for (int cut = 0; cut < 3 && !name.empty(); ++cut) {
      if (const auto layer = by_name_.find(std::string(name)); layer != by_name_.end())
        return layer->second;
      if (const int producer = producer_of(std::string(name)); producer != kNobody) return producer;
      const auto shorter = without_suffix(name);
      if (shorter.size() == name.size()) break;
      name = shorter;
    }
    return kNobody;
  }

  void own(int layer, int kernel) {
    if (layer != kNobody && owner_[static_cast<std::size_t>(layer)] == kNobody)
      owner_[static_cast<std::size_t>(layer)] = kernel;
  }

  void anchor(int kernel) {
    const model::Layer& node = optimized_.layers[static_cast<std::size_t>(kernel)];
    const std::string type = plain_type(node.type);
    // A layout change gives its output the real producer's name.
    if (type == "ReorderInput" || type == "ReorderOutput") return;
    for (const int tensor : node.outputs)
      if (tensor >= 0) own(producer_of(name_of(optimized_, tensor)), kernel);
    own(layer_called(node.name), kernel);
  }

  void take_what_feeds(int kernel) {
    std::set<std::string> stops;
    for (const int tensor : optimized_.layers[static_cast<std::size_t>(kernel)].inputs)
      if (tensor >= 0) stops.insert(name_of(optimized_, tensor));
    std::vector<int> open;
    for (std::size_t l = 0; l < owner_.size(); ++l)
      if (owner_[l] == kernel) open.push_back(static_cast<int>(l));
    while (!open.empty()) {
      const model::Layer& layer = original_.layers[static_cast<std::size_t>(open.back())];
      open.pop_back();
      for (const int tensor : layer.inputs) {
        if (tensor < 0 || stops.contains(name_of(original_, tensor))) continue;
        const int feeds = producer_of(name_of(original_, tensor));
        if (feeds == kNobody || owner_[static_cast<std::size_t>(feeds)] != kNobody) continue;
        if (ends_a_kernel(original_.layers[static_cast<std::size_t>(feeds)].type, layer.type))
          continue;
        own(feeds, kernel);
        open.push_back(feeds);
      }
    }
  }

  /// A remaining layer that processes a kernel's result belongs to that kernel, for example its
  /// activation or its quantisation.
  void take_what_follows() {
    for (const model::Layer& layer : original_.layers) {
      if (owner_[static_cast<std::size_t>(layer.index)] != kNobody || layer.type == "Shape" ||
          layer.type == "Size")
        continue;
      // A sum can be computed only once its last input exists, so it belongs to the kernel of that
      // input.
      int last = kNobody;
      for (const int tensor : layer.inputs) {
        const int before = tensor < 0 ? kNobody : producer_of(name_of(original_, tensor));
        if (before != kNobody) last = std::max(last, owner_[static_cast<std::size_t>(before)]);
      }
      if (last != kNobody) own(layer.index, last);
    }
  }

  const model::Graph& original_;
  const model::Graph& optimized_;
  std::vector<int> owner_;  ///< By layer of the original graph: the kernel, or kNobody.
  std::unordered_map<std::string, int> producer_;  ///< Indexed by tensor name.
  std::unordered_map<std::string, int> by_name_;
};

/// The index in "<type>_<index>", the default name of a node without a name.
int index_in(const NodeTime& node) {
  int index = -1;
  if (node.name.size() <= node.type.size() + 1 || !node.name.starts_with(node.type) ||
      node.name[node.type.size()] != '_')
    return -1;
  const char* const end = node.name.data() + node.name.size();
  const auto read = std::from_chars(node.name.data() + node.type.size() + 1, end, index);
  return read.ec == std::errc{} && read.ptr == end ? index : -1;
}

bool agree(const Shape& known, const Shape& seen) {
  if (known.empty() || seen.empty()) return true;
  if (known.size() != seen.size()) return false;
  for (std::size_t d = 0; d < known.size(); ++d)
    if (known[d] >= 0 && known[d] != seen[d]) return false;
  return true;
}

}  // namespace

std::vector<Kernel> map_kernels(const model::Graph& original, const model::Graph& optimized) {
  return Mapping(original, optimized).run();
}

std::vector<std::vector<int>> layers_of(const std::vector<Kernel>& kernels,
                                        const std::vector<NodeTime>& nodes) {
  std::unordered_map<std::string, const Kernel*> named;
  std::map<std::string, std::vector<const Kernel*>> unnamed;
  for (const Kernel& kernel : kernels) {
    if (kernel.name.empty()) unnamed[kernel.type].push_back(&kernel);
    else if (const auto [entry, fresh] = named.emplace(kernel.name, &kernel); !fresh)
      entry->second = nullptr;
  }
  std::vector<std::vector<int>> layers(nodes.size());
  std::map<std::string, std::map<int, std::size_t>> without_name;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (const auto found = named.find(nodes[n].name); found != named.end()) {
      if (found->second && found->second->type == nodes[n].type) layers[n] = found->second->layers;
    } else if (const int index = index_in(nodes[n]); index >= 0) {
      without_name[nodes[n].type].emplace(index, n);
    }
  }
  for (auto& [type, seen] : without_name) {
    auto& known = unnamed[type];
    // A node from the file keeps its layer's number; nodes added later get higher numbers.
    for (auto node = seen.begin(); node != seen.end();) {
      const auto kept = std::find_if(known.begin(), known.end(), [&](const Kernel* kernel) {
        return std::binary_search(kernel->layers.begin(), kernel->layers.end(), node->first);
      });
      if (kept == known.end()) {
        ++node;
        continue;
      }
      layers[node->second] = (*kept)->layers;
      known.erase(kept);
      node = seen.erase(node);
    }
    if (known.size() != seen.size()) continue;
    std::size_t at = 0;
    bool same = true;
    for (const auto& [index, n] : seen) same = same && agree(known[at++]->output, nodes[n].output);
    at = 0;
    if (same)
      for (const auto& [index, n] : seen) layers[n] = known[at++]->layers;
  }
  return layers;
}

}  // namespace edgeprobe::engine::onnxruntime
