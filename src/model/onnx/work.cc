// SPDX-License-Identifier: Apache-2.0
#include "model/onnx/work.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace edgeprobe::model::onnx {
namespace {

using Count = std::optional<std::uint64_t>;

Count times(Count a, Count b) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  if (!a || !b || (*b != 0 && *a > kMost / *b)) return std::nullopt;
  return *a * *b;
}

Count size_of(std::int64_t dim) { return dim < 0 ? 1 : static_cast<std::uint64_t>(dim); }

// The product of the dimensions from `first` on, with open ones counted as 1.
Count elements(const Shape& shape, std::size_t first = 0) {
  Count count = 1;
  for (std::size_t axis = first; axis < shape.size(); ++axis)
    count = times(count, size_of(shape[axis]));
  return count;
}

const Shape* shape_of(const std::vector<int>& list, std::size_t position,
                      const std::vector<ModelTensor>& tensors) {
  if (position >= list.size() || list[position] < 0) return nullptr;
  const ModelTensor& tensor = tensors[static_cast<std::size_t>(list[position])];
  return tensor.shape_known ? &tensor.spec.shape : nullptr;
}

enum class Kind { kConvolution, kTransposed, kGemm, kMatMul };

// How products are counted, and which inputs contribute.
struct Rule {
  Kind kind;
  std::size_t a, b;
};

const std::unordered_map<std::string_view, Rule>& rules() {
  static const std::unordered_map<std::string_view, Rule> table{
      {"Conv", {Kind::kConvolution, 0, 1}},
      {"ConvInteger", {Kind::kConvolution, 0, 1}},
      {"QLinearConv", {Kind::kConvolution, 0, 3}},
      {"com.microsoft:FusedConv", {Kind::kConvolution, 0, 1}},
      {"ConvTranspose", {Kind::kTransposed, 0, 1}},
      {"Gemm", {Kind::kGemm, 0, 1}},
      {"com.microsoft:QGemm", {Kind::kGemm, 0, 3}},
      {"MatMul", {Kind::kMatMul, 0, 1}},
      {"MatMulInteger", {Kind::kMatMul, 0, 1}},
      {"QLinearMatMul", {Kind::kMatMul, 0, 3}},
      {"com.microsoft:DynamicQuantizeMatMul", {Kind::kMatMul, 0, 1}},
      {"com.microsoft:MatMulIntegerToFloat", {Kind::kMatMul, 0, 1}}};
  return table;
}

bool is_unknown(std::string_view type) {
  static const std::unordered_set<std::string_view> kUnknown{
      "Attention", "DFT",  "DeformConv", "Einsum", "GRU",  "If",
      "LSTM",      "Loop", "RNN",        "STFT",   "Scan", "SequenceMap"};
  static const std::unordered_set<std::string_view> kPlainMicrosoft{
      "com.microsoft:BiasGelu",         "com.microsoft:DequantizeLinear",
      "com.microsoft:FastGelu",         "com.microsoft:Gelu",
      "com.microsoft:QLinearAdd",       "com.microsoft:QLinearAveragePool",
      "com.microsoft:QLinearConcat",    "com.microsoft:QLinearGlobalAveragePool",
      "com.microsoft:QLinearLeakyRelu", "com.microsoft:QLinearMul",
      "com.microsoft:QLinearSigmoid",   "com.microsoft:QLinearSoftmax",
      "com.microsoft:QuantizeLinear",   "com.microsoft:QuickGelu"};
  if (type.find(':') != std::string_view::npos) return kPlainMicrosoft.count(type) == 0;
  return kUnknown.count(type) != 0;
}

const std::unordered_map<std::string_view, std::vector<std::size_t>>& weight_inputs() {
  static const std::unordered_map<std::string_view, std::vector<std::size_t>> table = [] {
    std::unordered_map<std::string_view, std::vector<std::size_t>> made;
    for (const char* type : {"Conv", "ConvTranspose", "InstanceNormalization", "LayerNormalization",
                             "GroupNormalization", "com.microsoft:FusedConv"})
      made[type] = {1, 2};
    for (const char* type :
         {"Add", "Sub", "Mul", "Div", "MatMul", "MatMulInteger",
          "com.microsoft:DynamicQuantizeMatMul", "com.microsoft:MatMulIntegerToFloat"})
      made[type] = {0, 1};
    for (const char* type : {"PRelu", "ConvInteger"}) made[type] = {1};
    made["Gemm"] = {0, 1, 2};
    made["BatchNormalization"] = {1, 2, 3, 4};
    made["QLinearConv"] = {3, 8};
    made["QLinearMatMul"] = {0, 3};
    made["com.microsoft:QGemm"] = {0, 3, 6};
    for (const char* type : {"com.microsoft:QLinearAdd", "com.microsoft:QLinearMul"})
      made[type] = {0, 3};
    // A constant here is a weight stored in another form, or a table.
    for (const char* type : {"DequantizeLinear", "com.microsoft:DequantizeLinear", "Gather"})
      made[type] = {0};
    for (const char* type : {"LSTM", "GRU", "RNN"}) made[type] = {1, 2, 3};
    return made;
  }();
  return table;
}

bool restores(const Layer& layer) {
  return layer.type == "DequantizeLinear" || layer.type == "com.microsoft:DequantizeLinear";
}

/// True if its output has the values of its input, in another shape or order.
bool reshapes(const Layer& layer) {
  for (const char* const type :
       {"Flatten", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze"})
    if (layer.type == type) return true;
  return false;
}

}  // namespace

std::optional<std::uint64_t> multiply_accumulates(const Layer& layer, const Node& node,
                                                  const std::vector<ModelTensor>& tensors) {
  const auto found = rules().find(layer.type);
  if (found == rules().end()) return is_unknown(layer.type) ? Count{} : Count{0};
  const auto& [kind, at_a, at_b] = found->second;
  const Shape *a = shape_of(layer.inputs, at_a, tensors),
              *b = shape_of(layer.inputs, at_b, tensors);
  const Shape* out = shape_of(layer.outputs, 0, tensors);
  switch (kind) {
    case Kind::kConvolution:  // Filter [out, in / group, kernel …].
      return out && b && b->size() > 2 ? times(elements(*out), elements(*b, 1)) : Count{};
    case Kind::kTransposed:  // Filter [in, out / group, kernel …].
      return a && b && b->size() > 2 ? times(elements(*a), elements(*b, 1)) : Count{};
    case Kind::kGemm:
      return out && a && a->size() == 2
                 ? times(elements(*out), size_of((*a)[node.integer("transA", 0) ? 0 : 1]))
                 : Count{};
    case Kind::kMatMul:
      return out && a && !a->empty() ? times(elements(*out), size_of(a->back())) : Count{};
  }
  return std::nullopt;
}

void find_weights(std::vector<Layer>& layers, const std::vector<ModelTensor>& tensors) {
  // For each tensor: the constant that it is or is restored from; -1 for none.
  std::vector<int> source(tensors.size(), -1);
  std::vector<bool> taken(tensors.size());
  const auto at = [](int index) { return static_cast<std::size_t>(index); };
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].is_constant) source[i] = static_cast<int>(i);
  for (const Layer& layer : layers)
    if ((restores(layer) || reshapes(layer)) && !layer.inputs.empty() && layer.inputs[0] >= 0 &&
        !layer.outputs.empty() && layer.outputs[0] >= 0)
      source[at(layer.outputs[0])] = source[at(layer.inputs[0])];
  const auto find = [&](Layer& layer) {
    const auto found = weight_inputs().find(layer.type);
    if (found == weight_inputs().end()) return;
    for (const std::size_t position : found->second) {
      if (position >= layer.inputs.size() || layer.inputs[position] < 0) continue;
      const int weight = source[at(layer.inputs[position])];
      if (weight < 0 ||
          std::find(layer.weights.begin(), layer.weights.end(), weight) != layer.weights.end())
        continue;
      if (restores(layer) && taken[at(weight)]) continue;
      layer.weights.push_back(weight);
      layer.parameters += element_count(tensors[at(weight)].spec.shape).value_or(0);
      taken[at(weight)] = true;
    }
  };
  for (Layer& layer : layers)
    if (!restores(layer)) find(layer);
  for (Layer& layer : layers)
    if (restores(layer)) find(layer);
}

}  // namespace edgeprobe::model::onnx
