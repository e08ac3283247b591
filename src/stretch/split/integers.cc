// SPDX-License-Identifier: Apache-2.0
#include "stretch/split/integers.h"

#include <algorithm>

#include "core/index.h"

namespace edgeprobe::stretch {

using model::Layer;

bool has(const Layer& layer, std::size_t input) {
  return input < layer.inputs.size() && layer.inputs[input] >= 0;
}

namespace {

/// True if a DequantizeLinear makes the first input of a layer.
bool reads_restored(const SplitSubject& subject, const Layer& layer) {
  if (!has(layer, 0)) return false;
  const int maker = subject.flow.maker[at(layer.inputs[0])];
  return at(maker) < subject.graph.layers.size() && subject.layer(maker).type == "DequantizeLinear";
}

Error refuse_scale(const SplitSubject& subject, int layer, const std::string& what) {
  return {ErrorKind::kUnsupported, layer_name(subject, layer) + " " + what};
}

}  // namespace

const IntegerOperator* integer_operator(const std::string& type) {
  static const IntegerOperator kOperators[] = {{"QLinearConv", 3, 8, {4, 5}},
                                               {"ConvInteger", 1, 0, {3}},
                                               {"QLinearMatMul", 3, 0, {4, 5}},
                                               {"MatMulInteger", 1, 0, {3}},
                                               {"com.microsoft:QGemm", 3, 6, {4, 5}}};
  const auto found = std::find_if(std::begin(kOperators), std::end(kOperators),
                                  [&](const IntegerOperator& one) { return one.type == type; });
  return found == std::end(kOperators) ? nullptr : found;
}

std::size_t weights_of(const std::string& type) {
  const IntegerOperator* const integer = integer_operator(type);
  return integer ? integer->weights : 1;
}

bool is_integer(const SplitSubject& subject, int index) {
  const Layer& layer = subject.layer(index);
  if (integer_operator(layer.type)) return true;
  return has(layer, 1) && subject.unpacked_by[at(layer.inputs[1])] >= 0 &&
         reads_restored(subject, layer);
}

bool has_weights(const std::string& type) {
  static constexpr std::string_view kOthers[] = {"Conv",
                                                 "Gemm",
                                                 "MatMul",
                                                 "com.microsoft:MatMulNBits",
                                                 "com.microsoft:QLinearConv",
                                                 "com.microsoft:MatMulIntegerToFloat",
                                                 "com.microsoft:DynamicQuantizeMatMul"};
  return integer_operator(type) ||
         std::find(std::begin(kOthers), std::end(kOthers), type) != std::end(kOthers);
}

std::size_t convolution_weights(const std::string& type) {
  const bool is_convolution = type == "Conv" || type == "QLinearConv" || type == "ConvInteger";
  return is_convolution ? weights_of(type) : 0;
}

bool converts_integers(const std::string& type) {
  return type == "DequantizeLinear" || type == "QuantizeLinear";
}

Result<std::vector<CutConstant>> scales_along(const SplitSubject& subject, int index,
                                              std::size_t axis) {
  const Layer& layer = subject.layer(index);
  if (layer.inputs.size() < 2 || !has(layer, 0))
    return refuse_scale(subject, index, "has no scale");
  std::vector<CutConstant> cut;
  const auto rank =
      static_cast<std::int64_t>(subject.tensor(layer.outputs.front()).spec.shape.size());
  std::int64_t along = subject.whole(index, "axis", 1);
  if (along < 0) along += rank;
  for (const std::size_t input : {1, 2}) {
    if (!has(layer, input)) continue;
    if (!subject.is_constant(layer.inputs[input]))
      return refuse_scale(subject, index, "computes its scale or zero point");
    const Shape& shape = subject.tensor(layer.inputs[input]).spec.shape;
    if (shape.empty() || (shape.size() == 1 && shape[0] == 1)) continue;
    if (shape.size() != 1) return refuse_scale(subject, index, "has scales by block");
    if (along == static_cast<std::int64_t>(axis)) cut.push_back({input, 0});
  }
  return cut;
}

}  // namespace edgeprobe::stretch
