// SPDX-License-Identifier: Apache-2.0
#include "model/onnx/quantization.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/text.h"
#include "model/dynamic_quantization.h"

namespace edgeprobe::model::onnx {
namespace {

constexpr std::size_t kMostWarnings = 32;

const std::unordered_map<std::string_view, std::vector<QuantizedSlot>>& slots() {
  static const std::unordered_map<std::string_view, std::vector<QuantizedSlot>> table = [] {
    std::unordered_map<std::string_view, std::vector<QuantizedSlot>> made;
    for (const char* type : {"QuantizeLinear", "com.microsoft:QuantizeLinear"})
      made[type] = {{true, 0, 1, 2}};
    for (const char* type : {"DequantizeLinear", "com.microsoft:DequantizeLinear"})
      made[type] = {{false, 0, 1, 2}};
    for (const char* type :
         {"QLinearConv", "QLinearMatMul", "com.microsoft:QLinearAdd", "com.microsoft:QLinearMul"})
      made[type] = {{false, 0, 1, 2}, {false, 3, 4, 5}, {true, 0, 6, 7}};
    made["com.microsoft:QGemm"] = {{false, 0, 1, 2}, {false, 3, 4, 5}, {true, 0, 7, 8}};
    made["com.microsoft:QLinearWhere"] = {{false, 1, 2, 3}, {false, 4, 5, 6}, {true, 0, 7, 8}};
    for (const char* type :
         {"com.microsoft:QLinearAveragePool", "com.microsoft:QLinearGlobalAveragePool",
          "com.microsoft:QLinearLeakyRelu", "com.microsoft:QLinearReduceMean",
          "com.microsoft:QLinearSigmoid", "com.microsoft:QLinearSoftmax"})
      made[type] = {{false, 0, 1, 2}, {true, 0, 3, 4}};
    return made;
  }();
  return table;
}

class QuantizationReader {
 public:
  QuantizationReader(WireReader& reader, const std::vector<const Node*>& nodes, model::Graph& graph)
      : reader_(reader), nodes_(nodes), graph_(graph) {}

  void read() {
    for (const Layer& layer : graph_.layers) {
      if (reader_.failed()) return;
      for (const QuantizedSlot& slot : quantized_slots(layer)) apply(layer, slot);
      if (const auto bias = bias_slot(layer.type)) apply_bias(layer, *bias);
    }
    for (const DynamicOperator& one : dynamic_operators(graph_)) apply_dynamic(one);
    carry();
  }

 private:
  static int in(const std::vector<int>& list, std::size_t at) {
    return at < list.size() ? list[at] : -1;
  }
  ModelTensor* tensor(int index) {
    return index >= 0 ? &graph_.tensors[static_cast<std::size_t>(index)] : nullptr;
  }
  ModelTensor* tensor(const std::vector<int>& list, std::size_t at) { return tensor(in(list, at)); }

  // The stored numbers of a constant; nothing if absent or computed.
  std::optional<edgeprobe::Tensor> numbers(int index) {
    const ModelTensor* found = tensor(index);
    if (!found || !found->is_constant) return std::nullopt;
    if (!reader_.charge(found->data_size, {nullptr, "scale", -1})) return std::nullopt;
    auto values = constant(graph_, reader_.file(), index);
    if (!values) return std::nullopt;
    return *std::move(values);
  }

  void apply(const Layer& layer, const QuantizedSlot& slot) {
    const Node& node = *nodes_[static_cast<std::size_t>(layer.index)];
    const std::vector<int>& list = slot.is_output ? layer.outputs : layer.inputs;
    quantise(tensor(list, slot.tensor), in(layer.inputs, slot.scale),
             in(layer.inputs, slot.zero_point), axis_of_slot(layer, slot, node),
             node.integer("block_size", 0) != 0);
  }

  // The weights' scale is in a product after the operator, their zero point in the operator. The
  // channels are a filter's first axis, or a matrix's columns.
  void apply_dynamic(const DynamicOperator& one) {
    const Layer& layer = graph_.layers[static_cast<std::size_t>(one.layer)];
    quantise(tensor(one.weights), one.scale, in(layer.inputs, 3),
             layer.type == "ConvInteger" ? 0 : -1, false);
  }

  void quantise(ModelTensor* target, int scale_of, int zero_point_of, std::int64_t axis,
                bool in_blocks) {
    if (!target || !is_integer(target->spec.dtype) || !target->spec.quantization.empty()) return;
    const auto scale = numbers(scale_of);
    if (!scale) return;
    if (scale->spec.shape.size() > 1 || in_blocks)
      return warn(*target, "is quantised in blocks, which is not read");
    Quantization q;
    const auto scales = to_float(*scale);
    if (!scales || scales->empty()) return;
    q.scale = *scales;
    if (const auto zero_point = numbers(zero_point_of)) {
      const auto zeros = stored_as_float(*zero_point);
      if (!zeros) return;
      q.zero_point.assign(zeros->begin(), zeros->end());
    } else if (tensor(zero_point_of)) {
      return;  // Computed: unknown.
    } else {
      q.zero_point = {0};
    }
    set(*target, std::move(q), axis);
  }

  // The channels are a filter's first axis, or a matrix's columns; QuantizeLinear and
  // DequantizeLinear name their axis.
  static std::int64_t axis_of_slot(const Layer& layer, const QuantizedSlot& slot,
                                   const Node& node) {
    const bool is_weights = !slot.is_output && slot.tensor == 3;
    if (is_weights && layer.type == "QLinearConv") return 0;
    if (is_weights && layer.type == "QLinearMatMul") return -1;
    if (is_weights && layer.type == "com.microsoft:QGemm")
      return node.integer("transB", 0) != 0 ? 0 : 1;
    return node.integer("axis", 1);
  }

  // The bias has no parameters of its own: its step is the product of the other two.
  void apply_bias(const Layer& layer, std::size_t at) {
    ModelTensor* bias = tensor(layer.inputs, at);
    const ModelTensor *x = tensor(layer.inputs, 0), *w = tensor(layer.inputs, 3);
    if (!bias || bias->spec.dtype != DType::kInt32 || !bias->spec.quantization.empty()) return;
    if (!x || !w || x->spec.quantization.scale.size() != 1 || w->spec.quantization.empty()) return;
    if (!reader_.charge(w->spec.quantization.scale.size() * sizeof(float), {nullptr, "scale", -1}))
      return;
    Quantization q{w->spec.quantization.scale, {0}, 0};
    for (float& scale : q.scale) scale *= x->spec.quantization.scale[0];
    set(*bias, std::move(q), 0);
  }

  void set(ModelTensor& target, Quantization q, std::int64_t axis) {
    const std::size_t scales = q.scale.size();
    if (q.zero_point.size() > 1 && q.zero_point.size() != scales)
      return warn(target, "has " + std::to_string(q.zero_point.size()) + " zero points for " +
                              std::to_string(scales) + " scales");
    if (scales > 1) {
      const Shape& shape = target.spec.shape;
      const std::int64_t from_front = axis < 0 ? axis + std::ssize(shape) : axis;
      const bool is_inside =
          target.shape_known && from_front >= 0 && from_front < std::ssize(shape);
      if (!is_inside ||
          (shape[static_cast<std::size_t>(from_front)] != static_cast<std::int64_t>(scales) &&
           shape[static_cast<std::size_t>(from_front)] >= 0))
        return warn(target, "has " + std::to_string(scales) + " scales along axis " +
                                std::to_string(axis) + ", which do not fit its shape " +
                                to_text(shape));
      q.axis = static_cast<int>(from_front);
    }
    const auto bad = std::find_if(q.scale.begin(), q.scale.end(),
                                  [](float s) { return !std::isfinite(s) || s <= 0; });
    if (bad != q.scale.end())
      warn(target, "has the scale " + number(*bad) + " at index " +
                       std::to_string(bad - q.scale.begin()) +
                       ", expected a finite number above 0: its real values mean nothing");
    target.spec.quantization = std::move(q);
  }

  // Passes parameters on forwards, then backwards, so that a graph input gets the parameters of a
  // DequantizeLinear after a Reshape.
  void carry() {
    const auto copy = [&](const ModelTensor& from, ModelTensor& to) {
      const bool fits = from.spec.dtype == to.spec.dtype && is_integer(to.spec.dtype) &&
                        to.spec.quantization.empty();
      if (fits && from.spec.quantization.scale.size() == 1)
        to.spec.quantization = from.spec.quantization;
    };
    const auto ends = [&](const Layer& layer) {
      return only_moves(layer.type) ? std::pair(tensor(layer.inputs, 0), tensor(layer.outputs, 0))
                                    : std::pair<ModelTensor*, ModelTensor*>();
    };
    for (const Layer& layer : graph_.layers)
      if (const auto [input, output] = ends(layer); input && output) copy(*input, *output);
    for (auto layer = graph_.layers.rbegin(); layer != graph_.layers.rend(); ++layer)
      if (const auto [input, output] = ends(*layer); input && output) copy(*output, *input);
  }

  void warn(const ModelTensor& tensor, const std::string& what) {
    if (graph_.warnings.size() < kMostWarnings)
      graph_.warnings.push_back("\"" + sanitized(tensor.spec.name, 60) + "\" " + what);
  }

  WireReader& reader_;
  const std::vector<const Node*>& nodes_;
  model::Graph& graph_;
};

}  // namespace

std::vector<QuantizedSlot> quantized_slots(const Layer& layer) {
  if (layer.type == "com.microsoft:QLinearConcat") {
    std::vector<QuantizedSlot> found{{true, 0, 0, 1}};
    for (std::size_t at = 2; at + 2 < layer.inputs.size(); at += 3)
      found.push_back({false, at, at + 1, at + 2});
    return found;
  }
  const auto known = slots().find(layer.type);
  return known == slots().end() ? std::vector<QuantizedSlot>{} : known->second;
}

std::optional<std::size_t> bias_slot(std::string_view type) {
  if (type == "QLinearConv") return 8;
  if (type == "com.microsoft:QGemm") return 6;
  return std::nullopt;
}

bool only_moves(std::string_view type) {
  static const std::unordered_set<std::string_view> kTypes{
      "DepthToSpace", "Flatten",      "Gather",  "Identity",  "MaxPool",  "Reshape",
      "Slice",        "SpaceToDepth", "Squeeze", "Transpose", "Unsqueeze"};
  return kTypes.count(type) != 0;
}

void read_quantization(WireReader& reader, const std::vector<const Node*>& nodes,
                       model::Graph& graph) {
  QuantizationReader(reader, nodes, graph).read();
}

}  // namespace edgeprobe::model::onnx
