// SPDX-License-Identifier: Apache-2.0
#include "lint/lint.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "core/index.h"
#include "core/text.h"
#include "lint/rules.h"

namespace edgeprobe::lint {
namespace {

struct Places {
  std::string_view type;
  std::size_t weights, bias;
  int channel_axis;
};

// ONNX's integer operators, with their parameters among the inputs.
std::optional<Places> integer_places(std::string_view type) {
  static constexpr Places kPlaces[] = {
      {"QLinearConv", 3, 8, 0}, {"QLinearMatMul", 3, 99, -1}, {"com.microsoft:QGemm", 3, 6, -1}};
  for (const Places& places : kPlaces)
    if (places.type == type) return places;
  return std::nullopt;
}

// Matrices in an ONNX file may be transposed or not.
bool is_matrix(std::string_view type) {
  return type == "MatMul" || type == "Gemm" || type == "com.microsoft:FusedGemm";
}

bool is_integer_tensor(const model::Graph& graph, int tensor) {
  if (tensor < 0) return false;
  const model::ModelTensor& one = graph.tensors[at(model::stored_form(graph, tensor))];
  return is_integer(one.spec.dtype);
}

void lint_scales(const model::Graph& graph, Findings& found) {
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
    const auto& scales = graph.tensors[t].spec.quantization.scale;
    const auto bad = std::find_if(scales.begin(), scales.end(),
                                  [](float s) { return !std::isfinite(s) || s <= 0; });
    if (bad == scales.end()) continue;
    const model::Layer* const layer = model::layer_of(graph, static_cast<int>(t));
    found.push_back({Rule::kBadScale, Level::kFault, layer ? layer->index : -1, static_cast<int>(t),
                     "the scale is " + number(*bad) +
                         (scales.size() > 1 ? " in channel " + std::to_string(bad - scales.begin())
                                            : std::string()) +
                         ": its values mean nothing; quantise again"});
  }
}

int bits_of(DType dtype) {
  return dtype == DType::kInt4 ? 4 : 8 * static_cast<int>(size_of(dtype));
}

// "8-bit", "4- and 8-bit".
std::string widths_text(const std::set<int>& bits) {
  std::vector<std::string> widths;
  for (const int one : bits)
    widths.push_back(std::to_string(one) + (one == *bits.rbegin() ? "-bit" : "-"));
  return listed(widths);
}

void lint_whole(const model::Graph& graph, const std::vector<Weighted>& weighted, Findings& found) {
  std::size_t dynamic = 0, floating = 0, integer = 0;
  std::set<int> bits;  // For the weights of the first layer.
  for (const Weighted& one : weighted) {
    if (one.weights < 0) continue;
    const DType stored = graph.tensors[at(one.weights)].spec.dtype;
    const bool codes = is_integer(stored);
    const bool values = is_integer_tensor(graph, one.input);
    dynamic += codes && !values;
    if (codes && !values) bits.insert(bits_of(stored));
    floating += !codes;
    integer += codes && values;
  }
  const std::string all = std::to_string(dynamic + floating + integer);
  for (const model::Layer& layer : graph.layers) {
    const bool integers = layer.type == "MatMulInteger" || layer.type == "ConvInteger" ||
                          layer.type == "com.microsoft:DynamicQuantizeMatMul";
    dynamic += integers;
    if (integers) bits.insert(8);
  }
  if (dynamic > 0)
    found.push_back({Rule::kDynamic, Level::kNote, -1, -1,
                     std::to_string(dynamic) + " layers have " + widths_text(bits) +
                         " weights and float32 values (dynamic range): smaller, "
                         "but integer-only processors do not run them; calibrate for a "
                         "static one"});
  if (integer > 0 && floating > 0)
    found.push_back({Rule::kPartlyInteger, Level::kNote, -1, -1,
                     std::to_string(floating) + " of " + all +
                         " layers with weights stay in floating point among integer ones"});
}

}  // namespace

std::vector<Weighted> weighted_layers(const model::Graph& graph, ByteView file) {
  const compare::WeightedGraph side(graph, file);
  std::vector<Weighted> all;
  for (const model::Layer& layer : graph.layers) {
    if (const auto places = integer_places(layer.type)) {
      all.push_back({&layer, layer.inputs.empty() ? -1 : layer.inputs[0],
                     side.constant_in(layer, places->weights),
                     side.constant_in(layer, places->bias), places->channel_axis});
    } else if (const auto slots = compare::slots_of(layer.type)) {
      const std::size_t input = layer.type == "TRANSPOSE_CONV" ? 2 : 0;
      all.push_back({&layer, input < layer.inputs.size() ? layer.inputs[input] : -1,
                     side.constant_in(layer, slots->weights), side.bias_of(layer),
                     is_matrix(layer.type) ? -1 : slots->channel_axis});
    }
  }
  return all;
}

Result<Findings> lint(const model::Graph& graph, ByteView file) {
  Findings found;
  const std::vector<Weighted> weighted = weighted_layers(graph, file);
  lint_scales(graph, found);
  EP_CHECK(lint_weights(graph, file, weighted, found));
  lint_ranges(graph, found);
  lint_types(graph, found);
  // -1, the whole model, comes last.
  std::stable_sort(found.begin(), found.end(), [](const Finding& a, const Finding& b) {
    return static_cast<unsigned>(a.layer) < static_cast<unsigned>(b.layer);
  });
  lint_whole(graph, weighted, found);
  return found;
}

}  // namespace edgeprobe::lint
