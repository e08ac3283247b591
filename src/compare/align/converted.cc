// SPDX-License-Identifier: Apache-2.0
#include "compare/align/converted.h"

#include "compare/align/layout.h"
#include "compare/align/op_kind.h"

namespace edgeprobe::compare {
namespace {

enum class Filter { kConv, kDepthwise, kDeconv, kMatrix, kOther };

Filter filter_of(const std::string& type, const Shape& shape) {
  const std::string_view real = in_real_numbers(type);
  if (type == "DEPTHWISE_CONV_2D") return Filter::kDepthwise;
  const std::string_view kind = op_kind(real);
  if (kind == "matmul") return shape.size() == 2 ? Filter::kMatrix : Filter::kOther;
  if (shape.size() != 4) return Filter::kOther;
  if (kind == "conv") return Filter::kConv;
  return kind == "deconv" ? Filter::kDeconv : Filter::kOther;
}

bool is_channels_last(const WeightedGraph& side) { return side.graph.format == "tflite"; }

const Shape* weights_of(const WeightedGraph& side, const model::Layer& layer) {
  const auto slots = slots_of(layer.type);
  const model::ModelTensor* found =
      slots ? side.at(side.constant_in(layer, slots->weights)) : nullptr;
  return found ? &found->spec.shape : nullptr;
}

// True if each output of a matrix is a row: always in .tflite, by attribute for an ONNX Gemm. The
// columns of a MatMul are its outputs. A square matrix may be either.
bool has_outputs_in_rows(const WeightedGraph& side, const model::Layer& layer, const Shape& shape) {
  if (is_channels_last(side)) return true;
  const model::ModelTensor* made = layer.outputs.empty() ? nullptr : side.at(layer.outputs[0]);
  return in_real_numbers(layer.type) == "Gemm" && made && !made->spec.shape.empty() &&
         made->spec.shape.back() == shape[0] && shape[0] != shape[1];
}

}  // namespace

std::optional<std::vector<int>> weights_order(const WeightedGraph& from, const model::Layer& of,
                                              const WeightedGraph& to, const model::Layer& as) {
  const Shape *own = weights_of(from, of), *wanted = weights_of(to, as);
  if (!own || !wanted) return std::nullopt;
  const Filter a = filter_of(of.type, *own), b = filter_of(as.type, *wanted);
  std::vector<int> order;
  if (a == Filter::kMatrix && b == Filter::kMatrix) {
    const bool rows_from = has_outputs_in_rows(from, of, *own),
               rows_to = has_outputs_in_rows(to, as, *wanted);
    // Two Gemms have the same layout.
    const bool same = is_channels_last(from) == is_channels_last(to) &&
                      in_real_numbers(of.type) == in_real_numbers(as.type);
    if (!same && rows_from != rows_to) order = {1, 0};
  } else if (is_channels_last(from) == is_channels_last(to)) {
    if (a != b) return std::nullopt;
  } else if (a == Filter::kConv && b == Filter::kConv) {
    order = is_channels_last(from) ? std::vector<int>{0, 3, 1, 2} : std::vector<int>{0, 2, 3, 1};
  } else if (a == Filter::kDepthwise && b == Filter::kConv) {
    order = {3, 0, 1, 2};
  } else if ((a == Filter::kConv && b == Filter::kDepthwise) ||
             (a == Filter::kDeconv && b == Filter::kDeconv && !is_channels_last(from))) {
    order = {1, 2, 3, 0};
  } else if (a == Filter::kDeconv && b == Filter::kDeconv) {
    order = {3, 0, 1, 2};
  } else {
    return std::nullopt;
  }
  if (order.empty() ? *own != *wanted : !fits(*wanted, *own, order)) return std::nullopt;
  return order;
}

Result<std::optional<std::map<int, std::vector<float>>>> converted_constants(
    const WeightedGraph& from, const model::Layer& of, const WeightedGraph& to,
    const model::Layer& as) {
  using Constants = std::map<int, std::vector<float>>;
  const auto order = weights_order(from, of, to, as);
  if (!order) return std::optional<Constants>{};
  Constants found;
  const Slots own = *slots_of(of.type), wanted = *slots_of(as.type);
  const auto add = [&](int source, std::size_t into, const std::vector<int>& moves) -> Status {
    const int place = to.constant_in(as, into);
    if (place < 0 || !to.at(place) || to.at(place)->spec.dtype != DType::kFloat32) return {};
    std::vector<float> values(element_count(to.at(place)->spec.shape).value_or(0));
    if (source >= 0) {
      EP_TRY(const auto stored, model::constant(from.graph, from.file, source));
      EP_TRY(const auto moved, moves.empty() ? Result<Tensor>(stored) : transposed(stored, moves));
      EP_TRY(const auto real, to_float(moved));
      if (real.size() != values.size()) return {};
      values = real;
    }
    found.emplace(place, std::move(values));
    return {};
  };
  EP_CHECK(add(from.constant_in(of, own.weights), wanted.weights, *order));
  EP_CHECK(add(from.bias_of(of), wanted.bias, {}));
  if (found.empty()) return std::optional<Constants>{};
  return std::optional(std::move(found));
}

}  // namespace edgeprobe::compare
