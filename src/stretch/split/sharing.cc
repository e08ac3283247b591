// SPDX-License-Identifier: Apache-2.0
#include "stretch/split/sharing.h"

#include <algorithm>
#include <string_view>

#include "core/index.h"
#include "core/text.h"

namespace edgeprobe::stretch {
namespace {

using model::Layer;

template <std::size_t n>
bool is_one_of(const std::string& type, const std::string_view (&types)[n]) {
  return std::find(std::begin(types), std::end(types), type) != std::end(types);
}

Error refuse(const SplitSubject& subject, int layer, const std::string& what) {
  return {ErrorKind::kUnsupported, layer_name(subject, layer) + " " + what};
}

bool has(const Layer& layer, std::size_t input) {
  return input < layer.inputs.size() && layer.inputs[input] >= 0;
}

/// Checks the weights of a dense layer for this number of dimensions (0: any from 3).
Status check_weights(const SplitSubject& subject, int index, std::size_t rank) {
  const Layer& layer = subject.layer(index);
  if (!has(layer, 0) || !has(layer, 1)) return refuse(subject, index, "has no weights");
  if (const std::string reason = integer_reason(subject, index); !reason.empty())
    return refuse(subject, index, reason);
  const model::ModelTensor& weights = subject.tensor(layer.inputs[1]);
  if (!weights.is_constant) return refuse(subject, index, "computes its weights");
  if (!is_float(weights.spec.dtype)) return refuse(subject, index, "has weights of another type");
  const std::size_t dimensions = weights.spec.shape.size();
  if (rank > 0 ? dimensions != rank : dimensions < 3)
    return refuse(subject, index, "has weights of " + std::to_string(dimensions) + " dimensions");
  if (layer.outputs.size() != 1 || layer.outputs.front() < 0)
    return refuse(subject, index, "must have exactly one output");
  return {};
}

Result<Dense> dense_convolution(const SplitSubject& subject, int index) {
  EP_CHECK(check_weights(subject, index, 0));
  if (subject.whole(index, "group", 1) != 1) return refuse(subject, index, "has groups");
  const Layer& layer = subject.layer(index);
  Dense dense;
  dense.channels = dimension(subject.tensor(layer.inputs[1]), 0);
  dense.by_output = {{1, 0}};
  dense.by_input = {1, 1};
  if (has(layer, 2)) {
    if (!subject.is_constant(layer.inputs[2])) return refuse(subject, index, "computes its bias");
    dense.bias = 2;
    dense.by_output.push_back({2, 0});
  }
  return dense;
}

Result<Dense> dense_gemm(const SplitSubject& subject, int index) {
  EP_CHECK(check_weights(subject, index, 2));
  if (subject.whole(index, "transA", 0) != 0) return refuse(subject, index, "transposes its input");
  const Layer& layer = subject.layer(index);
  const std::size_t out = subject.whole(index, "transB", 0) != 0 ? 0 : 1;
  Dense dense;
  dense.channels = dimension(subject.tensor(layer.inputs[1]), out);
  dense.by_output = {{1, out}};
  dense.by_input = {1, 1 - out};
  if (has(layer, 2)) {
    const model::ModelTensor& bias = subject.tensor(layer.inputs[2]);
    if (!bias.is_constant) return refuse(subject, index, "computes its bias");
    if (layer.version < 11) return refuse(subject, index, "needs its bias in this operator set");
    dense.bias = 2;
    const std::size_t rank = bias.spec.shape.size();
    if (rank > 0 && bias.spec.shape.back() == dense.channels && dense.channels > 1)
      dense.by_output.push_back({2, rank - 1});
  }
  return dense;
}

Result<Dense> dense_product(const SplitSubject& subject, int index) {
  EP_CHECK(check_weights(subject, index, 2));
  const Layer& layer = subject.layer(index);
  const model::ModelTensor& made = subject.tensor(layer.outputs.front());
  if (!made.shape_known || made.spec.shape.size() < 2)
    return refuse(subject, index, "has an output of unknown dimensions");
  Dense dense;
  dense.axis = made.spec.shape.size() - 1;
  dense.channels = dimension(subject.tensor(layer.inputs[1]), 1);
  dense.by_output = {{1, 1}};
  dense.by_input = {1, 0};
  return dense;
}

/// The constant inputs that an operator broadcasts over its output.
Status spread_constants(const SplitSubject& subject, int index, std::size_t axis,
                        std::int64_t channels, const std::vector<bool>& shared, Channelwise& made) {
  const Layer& layer = subject.layer(index);
  const std::size_t rank = subject.tensor(layer.outputs.front()).spec.shape.size();
  for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
    const int input = layer.inputs[i];
    if (input < 0) continue;
    const model::ModelTensor& tensor = subject.tensor(input);
    if (shared[at(input)]) {
      if (dimension(tensor, axis) != channels || tensor.spec.shape.size() != rank)
        return refuse(subject, index, "spreads a shared tensor");
      continue;
    }
    if (!tensor.is_constant)
      return refuse(subject, index, "reads '" + sanitized(tensor.spec.name, 60) + "' as well");
    const std::size_t dimensions = tensor.spec.shape.size();
    if (dimensions + axis < rank || dimensions > rank) {
      if (dimensions > rank) return refuse(subject, index, "has a constant of more dimensions");
      continue;
    }
    const std::size_t position = axis - (rank - dimensions);
    const std::int64_t size = tensor.spec.shape[position];
    if (size == channels && channels > 1) made.constants.push_back({i, position});
    else if (size != 1) return refuse(subject, index, "has a constant of another size");
  }
  return {};
}

Result<Channelwise> grouped_convolution(const SplitSubject& subject, int index,
                                        std::int64_t channels) {
  EP_CHECK(check_weights(subject, index, 0));
  const Layer& layer = subject.layer(index);
  const std::int64_t groups = subject.whole(index, "group", 1);
  const std::int64_t made = dimension(subject.tensor(layer.inputs[1]), 0);
  if (groups < 2 || made != channels || channels % groups != 0)
    return refuse(subject, index, "mixes channels");
  Channelwise one;
  one.constants = {{1, 0}};
  if (has(layer, 2)) {
    if (!subject.is_constant(layer.inputs[2])) return refuse(subject, index, "computes its bias");
    one.constants.push_back({2, 0});
  }
  one.step = channels / groups;
  one.counts_groups = true;
  return one;
}

}  // namespace

std::string integer_reason(const SplitSubject& subject, int index) {
  const Layer& layer = subject.layer(index);
  static constexpr std::string_view kIntegers[] = {"QLinearConv",
                                                   "ConvInteger",
                                                   "QLinearMatMul",
                                                   "MatMulInteger",
                                                   "com.microsoft:QGemm",
                                                   "com.microsoft:MatMulNBits",
                                                   "com.microsoft:QLinearConv",
                                                   "com.microsoft:MatMulIntegerToFloat",
                                                   "com.microsoft:DynamicQuantizeMatMul"};
  const std::string reason =
      "computes with stored integers (int8): no engine hands out the sums of 32 bits that parts "
      "would have to add";
  if (is_one_of(layer.type, kIntegers)) return reason;
  if (!has(layer, 1) || layer.inputs[1] < 0) return "";
  const int maker = subject.flow.maker[at(layer.inputs[1])];
  if (maker >= 0 && at(maker) < subject.graph.layers.size() &&
      subject.layer(maker).type == "DequantizeLinear")
    return reason;
  return "";
}

bool is_elementwise(const std::string& type) {
  static constexpr std::string_view kTypes[] = {"Relu",
                                                "LeakyRelu",
                                                "Clip",
                                                "Sigmoid",
                                                "Tanh",
                                                "HardSigmoid",
                                                "HardSwish",
                                                "Elu",
                                                "Selu",
                                                "Celu",
                                                "Softplus",
                                                "Softsign",
                                                "Mish",
                                                "Swish",
                                                "ThresholdedRelu",
                                                "Exp",
                                                "Log",
                                                "Sqrt",
                                                "Abs",
                                                "Neg",
                                                "Erf",
                                                "Gelu",
                                                "com.microsoft:Gelu",
                                                "com.microsoft:QuickGelu",
                                                "com.microsoft:FastGelu",
                                                "Identity",
                                                "Reciprocal",
                                                "Floor",
                                                "Ceil",
                                                "Round",
                                                "Sign",
                                                "Add",
                                                "Sub",
                                                "Mul",
                                                "Div",
                                                "Pow",
                                                "Min",
                                                "Max",
                                                "Sum",
                                                "Mean",
                                                "PRelu"};
  return is_one_of(type, kTypes);
}

Result<Dense> dense_of(const SplitSubject& subject, int layer) {
  const std::string& type = subject.layer(layer).type;
  if (const std::string reason = integer_reason(subject, layer); !reason.empty())
    return refuse(subject, layer, reason);
  if (type == "Conv") return dense_convolution(subject, layer);
  if (type == "Gemm") return dense_gemm(subject, layer);
  if (type == "MatMul") return dense_product(subject, layer);
  return refuse(subject, layer, "is not a convolution, Gemm or MatMul");
}

Result<Channelwise> channelwise_of(const SplitSubject& subject, int index, std::size_t axis,
                                   std::int64_t channels, const std::vector<bool>& shared) {
  const Layer& layer = subject.layer(index);
  if (layer.outputs.size() != 1 || layer.outputs.front() < 0 || !has(layer, 0))
    return refuse(subject, index, "must have exactly one output");
  if (dimension(subject.tensor(layer.outputs.front()), axis) != channels)
    return refuse(subject, index, "makes another number of channels");
  Channelwise made;
  if (is_elementwise(layer.type)) {
    EP_CHECK(spread_constants(subject, index, axis, channels, shared, made));
    return made;
  }
  static constexpr std::string_view kPools[] = {"MaxPool",       "AveragePool", "GlobalAveragePool",
                                                "GlobalMaxPool", "LpPool",      "GlobalLpPool"};
  if (axis != 1 || !shared[at(layer.inputs[0])])
    return refuse(subject, index, "does not keep its channels apart");
  if (is_one_of(layer.type, kPools)) return made;
  if (layer.type == "Conv") return grouped_convolution(subject, index, channels);
  if (layer.type == "BatchNormalization" && subject.whole(index, "training_mode", 0) == 0 &&
      layer.inputs.size() == 5) {
    for (std::size_t i = 1; i < 5; ++i) {
      if (!has(layer, i) || !subject.is_constant(layer.inputs[i]))
        return refuse(subject, index, "computes its parameters");
      made.constants.push_back({i, 0});
    }
    return made;
  }
  return refuse(subject, index, "does not keep its channels apart");
}

}  // namespace edgeprobe::stretch
