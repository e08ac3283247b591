// SPDX-License-Identifier: Apache-2.0
#include "precision/int8/plan.h"

#include <algorithm>
#include <string_view>

#include "core/index.h"

namespace edgeprobe::precision {
namespace {

using Types = std::string_view;
template <std::size_t n>
bool is_among(const Types (&types)[n], std::string_view type) {
  return std::find(std::begin(types), std::end(types), type) != std::end(types);
}

// ONNX Runtime: default operators of quantize_static.
constexpr Types kOnnx[] = {"Conv",      "ConvTranspose",
                           "Gemm",      "MatMul",
                           "Add",       "Mul",
                           "LeakyRelu", "Sigmoid",
                           "Concat",    "GlobalAveragePool",
                           "Softmax",   "Where",
                           "TopK",      "InstanceNormalization",
                           "CumSum",    "LayerNormalization",
                           "ArgMax",    "BatchNormalization"};
// Operators that are quantised only if their input already is; they keep its codes. Identity and
// Dropout are removed first.
constexpr Types kOnnxMoves[] = {"Reshape", "Transpose",   "Squeeze", "Unsqueeze", "Flatten",
                                "Resize",  "MaxPool",     "Slice",   "Pad",       "Split",
                                "Gather",  "AveragePool", "Dropout", "Identity",  "GatherElements"};
constexpr Types kOnnxClips[] = {"Relu", "Clip"};
constexpr Types kTflite[] = {"ADD",
                             "BATCH_MATMUL",
                             "CONCATENATION",
                             "FULLY_CONNECTED",
                             "CONV_2D",
                             "TRANSPOSE_CONV",
                             "DEPTHWISE_CONV_2D",
                             "GELU",
                             "LOGISTIC",
                             "MEAN",
                             "MUL",
                             "RSQRT",
                             "SOFTMAX",
                             "SUB",
                             "TANH",
                             "SUM",
                             "SELECT",
                             "SELECT_V2",
                             "SQUARED_DIFFERENCE",
                             "PACK",
                             "DIV",
                             "SQRT",
                             "HARD_SWISH",
                             "MAXIMUM",
                             "PADV2",
                             "RELU"};
constexpr Types kTfliteMoves[] = {"AVERAGE_POOL_2D",
                                  "RESHAPE",
                                  "SPLIT",
                                  "STRIDED_SLICE",
                                  "TRANSPOSE",
                                  "SLICE",
                                  "PAD",
                                  "MAX_POOL_2D",
                                  "RESIZE_BILINEAR",
                                  "RESIZE_NEAREST_NEIGHBOR",
                                  "GATHER_ND",
                                  "UNPACK",
                                  "BROADCAST_TO",
                                  "GATHER",
                                  "REDUCE_MIN",
                                  "MIRROR_PAD",
                                  "SPACE_TO_DEPTH"};

}  // namespace

float Int8::stored(int tensor, float value) const {
  const auto found = codes.find(tensor);
  return found == codes.end() || passed[at(tensor)] ? value : found->second.stored(value);
}

RangeRule range_rule(const model::Graph& graph) {
  return graph.format == "onnx" ? RangeRule::kEnds : RangeRule::kAverage;
}

Int8 int8_of(const model::Graph& graph, const std::vector<Step>& steps, const Ranges& ranges) {
  Int8 plan;
  plan.passed.resize(graph.tensors.size());
  std::vector<int> readers(graph.tensors.size());
  for (const model::Layer& layer : graph.layers) {
    for (const int t : layer.inputs)
      if (t >= 0) ++readers[at(t)];
    for (const int t : layer.implicit_inputs) ++readers[at(t)];
  }
  for (const int t : graph.outputs) ++readers[at(t)];
  for (const auto& [tensor, range] : ranges)
    plan.codes[tensor] = codes_of(range.first, range.second);
  const bool onnx = graph.format == "onnx";
  std::vector<int> made(graph.tensors.size(), -1);  // By tensor: index of the step that computes it
                                                    // on codes.
  for (const Step& step : steps) {
    const model::Layer& layer = graph.layers[at(step.layers.front())];
    const int input = layer.inputs.empty() ? -1 : layer.inputs[0];
    const bool reads = input >= 0 && made[at(input)] >= 0;
    const bool moves = onnx ? is_among(kOnnxMoves, layer.type) : is_among(kTfliteMoves, layer.type);
    const bool clips = onnx && is_among(kOnnxClips, layer.type);
    const bool on_codes = onnx ? is_among(kOnnx, layer.type) || ((moves || clips) && reads)
                               : moves || is_among(kTflite, layer.type);
    plan.follows.push_back(onnx && (moves || clips) && reads ? made[at(input)] : -1);
    plan.steps.push_back(on_codes);
    if (!on_codes) continue;
    for (const int output : step.outputs) {
      made[at(output)] = static_cast<int>(plan.steps.size()) - 1;
      const auto codes = plan.codes.find(output);
      if (codes == plan.codes.end() || step.layers.size() > 1) continue;
      const auto own = plan.codes.find(input);
      if (moves && own != plan.codes.end()) codes->second = own->second;
      if (layer.type == "Softmax") codes->second = codes_of(0, 1);
      if (layer.type == "SOFTMAX" || layer.type == "LOGISTIC") codes->second = {1 / 256.0F, -128};
      if (layer.type == "TANH") codes->second = {1 / 128.0F, 0};
    }
    if (clips && readers[at(input)] == 1) plan.passed[at(input)] = true;
  }
  return plan;
}

}  // namespace edgeprobe::precision
