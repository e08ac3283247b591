// SPDX-License-Identifier: Apache-2.0
#include "stretch/plan.h"

#include <string_view>
#include <unordered_map>

#include "core/dtype.h"
#include "core/index.h"
#include "core/shape.h"
#include "core/text.h"

namespace edgeprobe::stretch {
namespace {

using model::Graph;
using model::Layer;
using model::ModelTensor;

constexpr std::size_t kLongestType = 160;

bool is_tensor(const Graph& graph, int tensor) {
  return tensor >= 0 && at(tensor) < graph.tensors.size();
}

std::string type_text(const ModelTensor& tensor) {
  if (tensor.spec.dtype != DType::kOther) return name(tensor.spec.dtype);
  return tensor.stored_type.empty() ? "unknown" : sanitized(tensor.stored_type, kLongestType);
}

std::string layer_text(const Graph& graph, const Layer& layer,
                       const std::vector<std::string>& names) {
  std::string read, made;
  for (const std::vector<int>* const list : {&layer.inputs, &layer.implicit_inputs})
    for (const int tensor : *list) {
      if (is_tensor(graph, tensor) && graph.tensors[at(tensor)].is_constant) continue;
      read += read.empty() ? "" : ", ";
      read += is_tensor(graph, tensor) ? names[at(tensor)] : "_";
    }
  for (const int tensor : layer.outputs) {
    made += made.empty() ? "" : ", ";
    if (!is_tensor(graph, tensor)) {
      made += "_";
      continue;
    }
    const ModelTensor& one = graph.tensors[at(tensor)];
    made += names[at(tensor)] + " " + type_text(one) + "[" +
            (one.shape_known ? to_list(one.spec.shape) : "?") + "]";
  }
  return sanitized(layer.type, kLongestType) + "(" + read + ") -> " + made;
}

}  // namespace

std::vector<std::string> tensor_texts(const Graph& graph) {
  std::unordered_map<std::string_view, int> count;
  for (const ModelTensor& tensor : graph.tensors) ++count[tensor.spec.name];
  std::vector<std::string> texts;
  texts.reserve(graph.tensors.size());
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const std::string& name = graph.tensors[i].spec.name;
    const bool names_it = !name.empty() && name.front() != '#' && count[name] == 1 && is_utf8(name);
    texts.push_back(names_it ? name : "#" + std::to_string(i));
  }
  return texts;
}

std::vector<std::string> layer_texts(const Graph& graph) {
  const std::vector<std::string> names = tensor_texts(graph);
  std::vector<std::string> texts;
  texts.reserve(graph.layers.size());
  for (const Layer& layer : graph.layers) texts.push_back(layer_text(graph, layer, names));
  return texts;
}

}  // namespace edgeprobe::stretch
