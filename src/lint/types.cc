// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "core/index.h"
#include "core/text.h"
#include "lint/rules.h"

namespace edgeprobe::lint {
namespace {

constexpr std::size_t kAll = 99;

/// Operators in ONNX's own domain that require `count` inputs from `first` on to have one type, in
/// all versions.
struct OneType {
  std::string_view type;
  std::size_t first, count;
};
constexpr OneType kOneType[] = {
    {"Add", 0, 2},
    {"And", 0, 2},
    {"Concat", 0, kAll},
    {"Conv", 0, 3},
    {"ConvTranspose", 0, 3},
    {"Div", 0, 2},
    {"Equal", 0, 2},
    {"GRU", 0, 4},
    {"Gemm", 0, 3},
    {"Greater", 0, 2},
    {"GreaterOrEqual", 0, 2},
    {"GroupNormalization", 0, 3},
    {"InstanceNormalization", 0, 3},
    {"LSTM", 0, 4},
    {"LayerNormalization", 0, 3},
    {"Less", 0, 2},
    {"LessOrEqual", 0, 2},
    {"MatMul", 0, 2},
    {"Max", 0, kAll},
    {"Mean", 0, kAll},
    {"Min", 0, kAll},
    {"Mul", 0, 2},
    {"Or", 0, 2},
    {"PRelu", 0, 2},
    {"RNN", 0, 4},
    {"Sub", 0, 2},
    {"Sum", 0, kAll},
    {"Where", 1, 2},
};

}  // namespace

void lint_types(const model::Graph& graph, Findings& found) {
  if (graph.format != "onnx") return;
  for (const model::Layer& layer : graph.layers) {
    const auto* const known =
        std::find_if(std::begin(kOneType), std::end(kOneType),
                     [&](const OneType& one) { return one.type == layer.type; });
    if (known == std::end(kOneType)) continue;
    const std::size_t end = std::min(layer.inputs.size(), known->first + known->count);
    const model::ModelTensor* first = nullptr;
    for (std::size_t i = known->first; i < end; ++i) {
      if (layer.inputs[i] < 0) continue;
      const model::ModelTensor& tensor = graph.tensors[at(layer.inputs[i])];
      if (tensor.spec.dtype == DType::kOther) continue;
      if (!first) first = &tensor;
      if (tensor.spec.dtype == first->spec.dtype) continue;
      found.push_back({Rule::kMixedTypes, Level::kFault, layer.index, layer.inputs[i],
                       "its inputs have to be of one type, but '" +
                           sanitized(first->spec.name, 60) + "' is " + name(first->spec.dtype) +
                           " and '" + sanitized(tensor.spec.name, 60) + "' " +
                           name(tensor.spec.dtype) + ": engines refuse it; convert one of them"});
      break;
    }
  }
}

}  // namespace edgeprobe::lint
