// SPDX-License-Identifier: Apache-2.0
#include "model/tflite/work.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace edgeprobe::model {
namespace {

using Count = std::optional<std::uint64_t>;

Count times(Count a, Count b) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  if (!a || !b || (*b != 0 && *a > kMost / *b)) return std::nullopt;
  return *a * *b;
}

std::uint64_t dim(const Shape& shape, std::size_t axis) {
  return shape[axis] < 0 ? 1 : static_cast<std::uint64_t>(shape[axis]);
}

Count elements(const Shape& shape) {
  Count count = 1;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) count = times(count, dim(shape, axis));
  return count;
}

const Shape* shape_of(const std::vector<int>& list, std::size_t position,
                      const std::vector<ModelTensor>& tensors) {
  if (position >= list.size() || list[position] < 0) return nullptr;
  return &tensors[static_cast<std::size_t>(list[position])].spec.shape;
}

// How an operator's products are counted: elements of one tensor times some dimensions of another.
struct Rule {
  bool per_input;  // True: elements of input `data`, else of output 0.
  std::size_t data;
  std::size_t filter;  // Input with the filter.
  std::size_t filter_rank;
  std::size_t first, last;  // Filter dimensions [first, last) are multiplied.
};

const std::unordered_map<std::string_view, Rule>& rules() {
  static const std::unordered_map<std::string_view, Rule> table{
      {"CONV_2D", {false, 0, 1, 4, 1, 4}},            // Filter [out, height, width, in].
      {"DEPTHWISE_CONV_2D", {false, 0, 1, 4, 1, 3}},  // Filter [1, height, width, out].
      {"FULLY_CONNECTED", {false, 0, 1, 2, 1, 2}},    // Filter [out, in].
      // Filter [out, height, width, in]; inputs: shape, filter, data.
      {"TRANSPOSE_CONV", {true, 2, 1, 4, 0, 3}},
      {"CONV_3D", {false, 0, 1, 5, 0, 4}},  // Filter [depth, height, width, in, out].
      // Filter [depth, height, width, out, in]; as above.
      {"CONV_3D_TRANSPOSE", {true, 2, 1, 5, 0, 4}},
  };
  return table;
}

bool is_unknown(std::string_view type) {
  static const std::unordered_set<std::string_view> kUnknown{"LSTM",
                                                             "RNN",
                                                             "UNIDIRECTIONAL_SEQUENCE_RNN",
                                                             "UNIDIRECTIONAL_SEQUENCE_LSTM",
                                                             "BIDIRECTIONAL_SEQUENCE_RNN",
                                                             "BIDIRECTIONAL_SEQUENCE_LSTM",
                                                             "EMBEDDING_LOOKUP_SPARSE",
                                                             "LSH_PROJECTION",
                                                             "SKIP_GRAM",
                                                             "CONCAT_EMBEDDINGS",
                                                             "RFFT2D",
                                                             "CALL",
                                                             "DELEGATE",
                                                             "IF",
                                                             "WHILE",
                                                             "STABLEHLO_CONVOLUTION",
                                                             "STABLEHLO_DOT_GENERAL",
                                                             "STABLEHLO_CUSTOM_CALL",
                                                             "STABLEHLO_COMPOSITE",
                                                             "STABLEHLO_REDUCE",
                                                             "STABLEHLO_REDUCE_WINDOW",
                                                             "STABLEHLO_WHILE",
                                                             "STABLEHLO_CASE",
                                                             "STABLEHLO_SCATTER",
                                                             "STABLEHLO_SORT"};
  return type.substr(0, 7) == "CUSTOM:" || type.substr(0, 8) == "BUILTIN_" ||
         kUnknown.count(type) != 0;
}

// Inputs with weights and biases; `rest` includes all from that position on.
struct WeightInputs {
  std::vector<std::size_t> positions;
  std::optional<std::size_t> rest;
};

const std::unordered_map<std::string_view, WeightInputs>& weight_inputs() {
  static const std::unordered_map<std::string_view, WeightInputs> table = [] {
    std::unordered_map<std::string_view, WeightInputs> made;
    for (const char* type : {"CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "CONV_3D"})
      made[type] = {{1, 2}, {}};
    for (const char* type : {"TRANSPOSE_CONV", "CONV_3D_TRANSPOSE"}) made[type] = {{1, 3}, {}};
    for (const char* type : {"ADD", "SUB", "MUL", "DIV", "BATCH_MATMUL"}) made[type] = {{0, 1}, {}};
    for (const char* type : {"PRELU", "EMBEDDING_LOOKUP"}) made[type] = {{1}, {}};
    // A constant here is a weight stored in another form: half floats, sparse, a table.
    for (const char* type : {"DEQUANTIZE", "DENSIFY", "GATHER"}) made[type] = {{0}, {}};
    for (const char* type :
         {"SVDF", "RNN", "LSTM", "UNIDIRECTIONAL_SEQUENCE_RNN", "UNIDIRECTIONAL_SEQUENCE_LSTM",
          "BIDIRECTIONAL_SEQUENCE_RNN", "BIDIRECTIONAL_SEQUENCE_LSTM"})
      made[type] = {{}, 1};
    return made;
  }();
  return table;
}

Count svdf(const Layer& layer, const std::vector<ModelTensor>& tensors) {
  const Shape* input = shape_of(layer.inputs, 0, tensors);
  const Shape* feature = shape_of(layer.inputs, 1, tensors);
  const Shape* time = shape_of(layer.inputs, 2, tensors);
  if (!input || !feature || !time || input->size() != 2) return std::nullopt;
  const Count a = elements(*feature), b = elements(*time);
  if (!a || !b) return std::nullopt;
  return times(dim(*input, 0), *a + *b);
}

Count batch_matmul(const Layer& layer, const std::vector<ModelTensor>& tensors, bool adjoint_x) {
  const Shape* x = shape_of(layer.inputs, 0, tensors);
  const Shape* out = shape_of(layer.outputs, 0, tensors);
  if (!x || !out || x->size() < 2 || out->size() < 2) return std::nullopt;
  return times(elements(*out), dim(*x, x->size() - (adjoint_x ? 2 : 1)));
}

}  // namespace

std::optional<std::uint64_t> multiply_accumulates(const Layer& layer,
                                                  const std::vector<ModelTensor>& tensors,
                                                  const OpOptions& options) {
  if (layer.type == "BATCH_MATMUL") return batch_matmul(layer, tensors, options.adjoint_x);
  if (layer.type == "SVDF") return svdf(layer, tensors);
  const auto rule = rules().find(layer.type);
  if (rule == rules().end()) return is_unknown(layer.type) ? Count{} : Count{0};
  const auto& [per_input, data, filter_at, rank, first, last] = rule->second;
  const Shape* filter = shape_of(layer.inputs, filter_at, tensors);
  const Shape* counted =
      per_input ? shape_of(layer.inputs, data, tensors) : shape_of(layer.outputs, 0, tensors);
  if (!filter || !counted || filter->size() != rank || counted->empty()) return std::nullopt;
  Count count = elements(*counted);
  for (std::size_t axis = first; axis < last; ++axis) count = times(count, dim(*filter, axis));
  return count;
}

std::vector<int> weights_of(const Layer& layer, const std::vector<ModelTensor>& tensors) {
  const auto found = weight_inputs().find(layer.type);
  if (found == weight_inputs().end()) return {};
  std::vector<int> weights;
  const auto take = [&](std::size_t position) {
    if (position >= layer.inputs.size() || layer.inputs[position] < 0) return;
    const int index = layer.inputs[position];
    if (tensors[static_cast<std::size_t>(index)].is_constant &&
        std::find(weights.begin(), weights.end(), index) == weights.end())
      weights.push_back(index);
  };
  for (const std::size_t position : found->second.positions) take(position);
  // The largest operator of the schema has 48 inputs; longer lists are not worth quadratic time.
  const std::size_t end = std::min<std::size_t>(layer.inputs.size(), 64);
  for (std::size_t position = found->second.rest.value_or(end); position < end; ++position)
    take(position);
  return weights;
}

}  // namespace edgeprobe::model
