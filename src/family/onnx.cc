// SPDX-License-Identifier: Apache-2.0
#include "core/index.h"
#include "core/protobuf.h"
#include "family/export.h"
#include "model/onnx/written.h"

namespace edgeprobe::family {
namespace {

using model::Attributes;

constexpr std::uint64_t kIrVersion = 8, kOperatorSet = 17;
// Fields of a ModelProto, of its OperatorSetIdProto, and of a GraphProto.
constexpr std::uint32_t kVersion = 1, kProducer = 2, kGraph = 7, kOpset = 8, kOpsetVersion = 2;
constexpr std::uint32_t kNode = 1, kGraphName = 2, kInitializer = 5, kInput = 11, kOutput = 12;

Tensor whole_numbers(const std::string& name, const std::vector<std::int64_t>& values) {
  Tensor tensor;
  tensor.spec.name = name;
  tensor.spec.dtype = DType::kInt64;
  tensor.spec.shape = {static_cast<std::int64_t>(values.size())};
  const auto* const begin = reinterpret_cast<const std::byte*>(values.data());
  tensor.bytes.assign(begin, begin + values.size() * sizeof(std::int64_t));
  return tensor;
}

/// Writes the layers of a network as nodes and constants of a graph.
class Writer {
 public:
  Writer(const Network& network, const Weights& weights) : network_(network), weights_(weights) {}

  std::string graph() {
    for (const Layer& layer : network_.layers) {
      write_constants(layer);
      write(layer);
    }
    graph_.bytes(kGraphName, network_.name);
    TensorSpec spec;
    spec.name = "input";
    spec.shape = {1, 3, network_.size, network_.size};
    graph_.bytes(kInput, model::onnx::written_value_info(spec));
    spec.name = "scores";
    spec.shape = {1, network_.classes};
    graph_.bytes(kOutput, model::onnx::written_value_info(spec));
    return std::move(graph_).text();
  }

 private:
  std::string tensor_name(int layer) const {
    if (layer < 0) return "input";
    if (at(layer) + 1 == network_.layers.size()) return "scores";
    return network_.layers[at(layer)].name;
  }

  void node(const std::string& type, const std::string& name, std::vector<std::string> inputs,
            const std::string& output, Attributes attributes = {}) {
    graph_.bytes(kNode, model::onnx::written_node(
                            {type, name, std::move(inputs), {output}, std::move(attributes)}));
  }

  void constant(const Tensor& tensor) {
    graph_.bytes(kInitializer, model::onnx::written_tensor(tensor));
  }

  void write_constants(const Layer& layer) {
    for (const Parameter& parameter : parameters(layer)) {
      const Shape shape(parameter.shape.begin(), parameter.shape.end());
      constant(make_tensor(parameter.name, shape, weights_.at(parameter.name)));
    }
  }

  std::vector<std::string> with_parameters(const Layer& layer) const {
    std::vector<std::string> inputs{tensor_name(layer.inputs.front())};
    for (const Parameter& parameter : parameters(layer)) inputs.push_back(parameter.name);
    return inputs;
  }

  static Attributes window(const Layer& layer) {
    const std::int64_t pad = layer.kernel / 2;
    return {{"kernel_shape", std::vector{layer.kernel, layer.kernel}},
            {"strides", std::vector{layer.stride, layer.stride}},
            {"pads", std::vector{pad, pad, pad, pad}}};
  }

  void write(const Layer& layer) {
    std::vector<std::string> inputs;
    for (const int input : layer.inputs) inputs.push_back(tensor_name(input));
    const bool is_last = &layer == &network_.layers.back();
    const std::string out = is_last ? "scores" : layer.name;
    switch (layer.op) {
      case Op::kConv: {
        Attributes attributes = window(layer);
        attributes.push_back({"group", layer.groups});
        return node("Conv", layer.name, with_parameters(layer), out, std::move(attributes));
      }
      case Op::kBatchNorm:
        return node("BatchNormalization", layer.name, with_parameters(layer), out,
                    {{"epsilon", static_cast<float>(network_.epsilon)}});
      case Op::kRelu: return node("Relu", layer.name, inputs, out);
      case Op::kSigmoid: return node("Sigmoid", layer.name, inputs, out);
      case Op::kSilu:
        node("Sigmoid", layer.name + "/sigmoid", inputs, layer.name + "/sigmoid");
        return node("Mul", layer.name, {inputs.front(), layer.name + "/sigmoid"}, out);
      case Op::kMaxPool: return node("MaxPool", layer.name, inputs, out, window(layer));
      case Op::kGlobalPool: return node("GlobalAveragePool", layer.name, inputs, out);
      case Op::kAdd: return node("Add", layer.name, inputs, out);
      case Op::kMul: return node("Mul", layer.name, inputs, out);
      case Op::kConcat: return node("Concat", layer.name, inputs, out, {{"axis", std::int64_t{1}}});
      case Op::kSlice: return write_slice(layer, inputs.front(), out);
      case Op::kShuffle: return write_shuffle(layer, inputs.front(), out);
      case Op::kLinear: {
        node("Flatten", layer.name + "/flat", inputs, layer.name + "/flat");
        std::vector<std::string> operands = with_parameters(layer);
        operands.front() = layer.name + "/flat";
        return node("Gemm", layer.name, std::move(operands), out, {{"transB", std::int64_t{1}}});
      }
    }
  }

  void write_slice(const Layer& layer, const std::string& input, const std::string& out) {
    constant(whole_numbers(layer.name + "/first", {layer.first}));
    constant(whole_numbers(layer.name + "/end", {layer.first + layer.channels}));
    constant(whole_numbers(layer.name + "/axis", {1}));
    node("Slice", layer.name,
         {input, layer.name + "/first", layer.name + "/end", layer.name + "/axis"}, out);
  }

  void write_shuffle(const Layer& layer, const std::string& input, const std::string& out) {
    const std::int64_t each = layer.channels / layer.groups;
    constant(
        whole_numbers(layer.name + "/groups", {1, layer.groups, each, layer.height, layer.width}));
    constant(whole_numbers(layer.name + "/shape", {1, layer.channels, layer.height, layer.width}));
    node("Reshape", layer.name + "/apart", {input, layer.name + "/groups"}, layer.name + "/apart");
    node("Transpose", layer.name + "/turned", {layer.name + "/apart"}, layer.name + "/turned",
         {{"perm", std::vector<std::int64_t>{0, 2, 1, 3, 4}}});
    node("Reshape", layer.name, {layer.name + "/turned", layer.name + "/shape"}, out);
  }

  const Network& network_;
  const Weights& weights_;
  ProtoWriter graph_;
};

}  // namespace

Bytes to_onnx(const Network& network, const Weights& weights) {
  ProtoWriter model;
  model.whole(kVersion, kIrVersion).bytes(kProducer, "edgeprobe");
  model.bytes(kOpset, ProtoWriter().whole(kOpsetVersion, kOperatorSet));
  const std::string graph = Writer(network, weights).graph();
  model.head(kGraph, graph.size());
  // The graph is most of the file: it is appended to the few bytes before it.
  const std::string_view head = model.text();
  Bytes file;
  file.reserve(head.size() + graph.size());
  for (const std::string_view part : {head, std::string_view(graph)}) {
    const auto* const begin = reinterpret_cast<const std::byte*>(part.data());
    file.insert(file.end(), begin, begin + part.size());
  }
  return file;
}

}  // namespace edgeprobe::family
