// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_set>

#include "model/closed_bytes.h"
#include "model/graph.h"
#include "model/onnx/onnx.h"
#include "model/qdq.h"

namespace edgeprobe::model {
namespace {

constexpr std::size_t kNoSize = std::numeric_limits<std::size_t>::max();

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

// True if an operator's outputs depend only on its inputs, by a known formula.
bool is_plain(const Layer& layer) {
  static const std::unordered_set<std::string_view> kOthers{"IF",
                                                            "WHILE",
                                                            "CALL",
                                                            "CALL_ONCE",
                                                            "DELEGATE",
                                                            "MULTINOMIAL",
                                                            "READ_VARIABLE",
                                                            "VAR_HANDLE",
                                                            "STABLEHLO_CUSTOM_CALL",
                                                            "STABLEHLO_RNG_BIT_GENERATOR",
                                                            "STABLEHLO_WHILE"};
  return !starts_with(layer.type, "CUSTOM:") && !starts_with(layer.type, "BUILTIN_") &&
         !starts_with(layer.type, "RANDOM_") && !is_unsettled_onnx(layer.type) &&
         !starts_with(layer.type, "HASHTABLE") && kOthers.count(layer.type) == 0;
}

}  // namespace

std::optional<std::size_t> closed_bytes(const TensorSpec& spec) {
  TensorSpec closed{"", spec.dtype, spec.shape, {}};
  for (std::int64_t& dim : closed.shape)
    if (dim < 0) dim = 1;
  return closed.byte_size();
}

std::optional<std::size_t> closed_bytes(const ModelTensor& tensor) {
  return tensor.shape_known ? closed_bytes(tensor.spec) : std::nullopt;
}

// Engines compute these once, when they prepare a model; LiteRT 2.3 crashes if some of them are
// outputs.
std::vector<bool> settled_tensors(const Graph& graph) {
  std::vector<bool> settled(graph.tensors.size());
  for (std::size_t i = 0; i < settled.size(); ++i) settled[i] = graph.tensors[i].is_constant;
  for (const Layer& layer : graph.layers) {
    bool all = layer.type == "SHAPE" || layer.type == "RANK" || layer.type == "Shape" ||
               layer.type == "Size" || layer.type == "Constant";
    if (!all && is_plain(layer) && !layer.inputs.empty())
      all = std::all_of(layer.inputs.begin(), layer.inputs.end(), [&](int input) {
        return input < 0 || settled[static_cast<std::size_t>(input)];
      });
    for (const int output : layer.outputs)
      if (output >= 0) settled[static_cast<std::size_t>(output)] = all;
  }
  return settled;
}

bool is_late_reshape(const Graph& graph, const Layer& layer) {
  return layer.type == "RESHAPE" && layer.inputs.size() > 1 && layer.inputs[1] >= 0 &&
         !graph.tensors[static_cast<std::size_t>(layer.inputs[1])].is_constant;
}

std::vector<int> capturable(const Graph& graph) {
  std::vector<bool> taken = settled_tensors(graph);
  for (const Layer& layer : graph.layers)
    for (const int output : layer.outputs)
      if (output >= 0 && is_late_reshape(graph, layer))
        taken[static_cast<std::size_t>(output)] = true;
  const std::vector<bool> within = within_integer_operators(graph);
  for (std::size_t i = 0; i < taken.size(); ++i) taken[i] = taken[i] || within[i];
  for (const int output : graph.outputs) taken[static_cast<std::size_t>(output)] = false;
  for (const int input : graph.inputs) taken[static_cast<std::size_t>(input)] = true;
  std::vector<int> found;
  for (const Layer& layer : graph.layers)
    for (const int output : layer.outputs) {
      if (output < 0 || taken[static_cast<std::size_t>(output)]) continue;
      taken[static_cast<std::size_t>(output)] = true;
      const ModelTensor& tensor = graph.tensors[static_cast<std::size_t>(output)];
      if (!tensor.is_variable && !tensor.is_constant && size_of(tensor.spec.dtype) != 0)
        found.push_back(output);
    }
  return found;
}

std::vector<std::vector<int>> capture_groups(const Graph& graph, const std::vector<int>& tensors,
                                             std::size_t budget_bytes) {
  std::vector<std::vector<int>> groups;
  std::unordered_set<std::string_view> names;  // names in the last group
  std::size_t left = 0, largest = 0;
  for (const ModelTensor& tensor : graph.tensors)
    if (tensor.shape_known && !tensor.is_constant && size_of(tensor.spec.dtype) != 0)
      largest = std::max(largest, closed_bytes(tensor.spec).value_or(kNoSize));
  for (const int index : tensors) {
    const ModelTensor& tensor = graph.tensors[static_cast<std::size_t>(index)];
    const std::size_t bytes = tensor.shape_known ? closed_bytes(tensor.spec).value_or(kNoSize)
                                                 : std::max(largest, budget_bytes / 16);
    // LiteRT finds outputs by name: a duplicate name crashes its process.
    if (groups.empty() || bytes > left || names.count(tensor.spec.name)) {
      groups.emplace_back();
      left = budget_bytes;
      names.clear();
    }
    names.insert(tensor.spec.name);
    groups.back().push_back(index);
    left -= std::min(left, bytes);
  }
  return groups;
}

}  // namespace edgeprobe::model
