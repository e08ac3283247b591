// SPDX-License-Identifier: Apache-2.0
#include "stretch/split/sharing.h"

#include <algorithm>
#include <string_view>

#include "core/index.h"
#include "core/text.h"
#include "stretch/split/integers.h"

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

/// Checks the weights of a dense layer for this number of dimensions (0: any from 3).
Status check_weights(const SplitSubject& subject, int index, std::size_t rank) {
  const Layer& layer = subject.layer(index);
  const std::size_t position = weights_of(layer.type);
  if (!has(layer, 0) || !has(layer, position)) return refuse(subject, index, "has no weights");
  const int input = layer.inputs[position];
  if (!subject.is_stored(input)) return refuse(subject, index, "computes its weights");
  if (const int unpacked = subject.unpacked_by[at(input)]; unpacked >= 0)
    EP_CHECK(scales_along(subject, unpacked, 0));
  const model::ModelTensor& weights = subject.values(input);
  if (size_of(weights.spec.dtype) == 0)
    return refuse(subject, index, "has weights of less than a byte");
  if (!is_float(weights.spec.dtype) && !is_integer(subject, index) && subject.is_constant(input))
    return refuse(subject, index, "has weights of another type");
  const std::size_t dimensions = weights.spec.shape.size();
  if (rank > 0 ? dimensions != rank : dimensions < 3)
    return refuse(subject, index, "has weights of " + std::to_string(dimensions) + " dimensions");
  if (layer.outputs.size() != 1 || layer.outputs.front() < 0)
    return refuse(subject, index, "must have exactly one output");
  return {};
}

/// The weights with channels along `axis`, the bias and what integer operators have besides, to be
/// cut by output channel.
Result<std::vector<CutConstant>> cut_by_output(const SplitSubject& subject, int index,
                                               std::size_t axis) {
  const Layer& layer = subject.layer(index);
  const IntegerOperator* const integer = integer_operator(layer.type);
  const std::size_t weights = weights_of(layer.type);
  const std::int64_t channels = dimension(subject.values(layer.inputs[weights]), axis);
  std::vector<CutConstant> cut{{weights, axis}};
  if (!integer) return cut;
  for (const std::size_t input : integer->by_channel) {
    if (!has(layer, input)) continue;
    if (!subject.is_constant(layer.inputs[input]))
      return refuse(subject, index, "computes the scale or zero point of its weights");
    const Shape& shape = subject.tensor(layer.inputs[input]).spec.shape;
    if (shape.empty() || (shape.size() == 1 && shape[0] == 1)) continue;
    if (shape.size() != 1 || shape[0] != channels)
      return refuse(subject, index, "has a scale or zero point of another size");
    cut.push_back({input, 0});
  }
  return cut;
}

/// Adds the bias, if there is one, to what is cut by output channel.
Status cut_bias(const SplitSubject& subject, int index, std::vector<CutConstant>& cut) {
  const Layer& layer = subject.layer(index);
  const IntegerOperator* const integer = integer_operator(layer.type);
  const std::size_t bias = integer ? integer->bias : 2;
  if (bias == 0 || !has(layer, bias)) return {};
  if (!subject.is_stored(layer.inputs[bias])) return refuse(subject, index, "computes its bias");
  cut.push_back({bias, 0});
  return {};
}

Result<Dense> dense_convolution(const SplitSubject& subject, int index) {
  EP_CHECK(check_weights(subject, index, 0));
  if (subject.whole(index, "group", 1) != 1) return refuse(subject, index, "has groups");
  const Layer& layer = subject.layer(index);
  Dense dense;
  dense.integer = is_integer(subject, index);
  dense.channels = dimension(subject.values(layer.inputs[weights_of(layer.type)]), 0);
  EP_TRY(dense.by_output, cut_by_output(subject, index, 0));
  dense.by_input = {1, 1};
  EP_CHECK(cut_bias(subject, index, dense.by_output));
  dense.bias = has(layer, 2) ? 2 : 0;
  return dense;
}

Result<Dense> dense_gemm(const SplitSubject& subject, int index) {
  EP_CHECK(check_weights(subject, index, 2));
  if (subject.whole(index, "transA", 0) != 0) return refuse(subject, index, "transposes its input");
  const Layer& layer = subject.layer(index);
  const IntegerOperator* const integer = integer_operator(layer.type);
  const std::size_t out = subject.whole(index, "transB", 0) != 0 ? 0 : 1;
  const std::size_t bias = integer ? integer->bias : 2;
  Dense dense;
  dense.integer = is_integer(subject, index);
  dense.channels = dimension(subject.values(layer.inputs[weights_of(layer.type)]), out);
  EP_TRY(dense.by_output, cut_by_output(subject, index, out));
  dense.by_input = {1, 1 - out};
  if (has(layer, bias)) {
    if (!subject.is_stored(layer.inputs[bias])) return refuse(subject, index, "computes its bias");
    if (!integer && layer.version < 11)
      return refuse(subject, index, "needs its bias in this operator set");
    dense.bias = bias;
    const Shape& shape = subject.values(layer.inputs[bias]).spec.shape;
    if (!shape.empty() && shape.back() == dense.channels && dense.channels > 1)
      dense.by_output.push_back({bias, shape.size() - 1});
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
  dense.integer = is_integer(subject, index);
  dense.axis = made.spec.shape.size() - 1;
  dense.channels = dimension(subject.values(layer.inputs[weights_of(layer.type)]), 1);
  EP_TRY(dense.by_output, cut_by_output(subject, index, 1));
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
  const std::int64_t made = dimension(subject.values(layer.inputs[weights_of(layer.type)]), 0);
  if (groups < 2 || made != channels || channels % groups != 0)
    return refuse(subject, index, "mixes channels");
  Channelwise one;
  EP_TRY(one.constants, cut_by_output(subject, index, 0));
  EP_CHECK(cut_bias(subject, index, one.constants));
  one.step = channels / groups;
  one.counts_groups = true;
  return one;
}

}  // namespace

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
                                                "PRelu",
                                                "com.microsoft:QLinearAdd",
                                                "com.microsoft:QLinearMul",
                                                "com.microsoft:QLinearSigmoid",
                                                "com.microsoft:QLinearLeakyRelu"};
  return is_one_of(type, kTypes);
}

Result<Dense> dense_of(const SplitSubject& subject, int layer) {
  const std::string& type = subject.layer(layer).type;
  if (convolution_weights(type) > 0) return dense_convolution(subject, layer);
  if (type == "Gemm" || type == "com.microsoft:QGemm") return dense_gemm(subject, layer);
  if (type == "MatMul" || type == "QLinearMatMul" || type == "MatMulInteger")
    return dense_product(subject, layer);
  return refuse(subject, layer,
                has_weights(type) ? "has weights in a form that is not cut"
                                  : "is not a convolution, Gemm or MatMul");
}

Result<Channelwise> channelwise_of(const SplitSubject& subject, int index, std::size_t axis,
                                   std::int64_t channels, const std::vector<bool>& shared) {
  const Layer& layer = subject.layer(index);
  if (layer.outputs.size() != 1 || layer.outputs.front() < 0 || !has(layer, 0))
    return refuse(subject, index, "must have exactly one output");
  if (dimension(subject.tensor(layer.outputs.front()), axis) != channels)
    return refuse(subject, index, "makes another number of channels");
  Channelwise made;
  if (converts_integers(layer.type)) {
    if (!shared[at(layer.inputs[0])])
      return refuse(subject, index, "does not read what is shared out");
    EP_TRY(made.constants, scales_along(subject, index, axis));
    return made;
  }
  if (is_elementwise(layer.type)) {
    EP_CHECK(spread_constants(subject, index, axis, channels, shared, made));
    return made;
  }
  static constexpr std::string_view kPools[] = {"MaxPool",       "AveragePool", "GlobalAveragePool",
                                                "GlobalMaxPool", "LpPool",      "GlobalLpPool"};
  if (axis != 1 || !shared[at(layer.inputs[0])])
    return refuse(subject, index, "does not keep its channels apart");
  if (is_one_of(layer.type, kPools)) return made;
  if (convolution_weights(layer.type) > 0) return grouped_convolution(subject, index, channels);
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
