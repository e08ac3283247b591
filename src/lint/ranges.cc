// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string_view>

#include "compare/align/op_kind.h"
#include "core/index.h"
#include "core/text.h"
#include "lint/rules.h"
#include "model/qdq.h"

namespace edgeprobe::lint {
namespace {

// With fewer codes than the first, values can hardly be distinguished; with fewer than the second,
// they lose three bits.
constexpr double kNoCodes = 4, kFewCodes = 32;

// The range of a value if its operator determines it.
std::optional<double> known_span(std::string_view type) {
  if (type == "LOGISTIC" || type == "SOFTMAX" || type == "Sigmoid" || type == "Softmax" ||
      type == "HardSigmoid" || type == "com.microsoft:QLinearSigmoid" ||
      type == "com.microsoft:QLinearSoftmax")
    return 1.0;
  if (type == "TANH" || type == "Tanh") return 2.0;
  return std::nullopt;
}

// The only scale of 8-bit codes; empty for others.
std::optional<double> scale_of(const model::Graph& graph, int tensor) {
  if (tensor < 0) return std::nullopt;
  const TensorSpec& spec = graph.tensors[at(tensor)].spec;
  const bool bytes = spec.dtype == DType::kInt8 || spec.dtype == DType::kUInt8;
  if (!bytes || spec.quantization.scale.size() != 1) return std::nullopt;
  const double scale = spec.quantization.scale[0];
  return std::isfinite(scale) && scale > 0 ? std::optional(scale) : std::nullopt;
}

std::string codes_text(double codes) {
  return codes < 1 ? "less than one code" : codes < 2 ? "one code" : number(codes, 2) + " codes";
}

// Codes before a conversion from one integer scale to another.
int before_requantisation(const model::Graph& graph, const std::vector<int>& maker, int tensor) {
  if (tensor < 0 || maker[at(tensor)] < 0) return tensor;
  const model::Layer& by = graph.layers[at(maker[at(tensor)])];
  if (!compare::is_conversion(by.type) || by.inputs.empty() || by.inputs[0] < 0) return tensor;
  const int read = model::stored_form(graph, by.inputs[0]);
  return scale_of(graph, read) ? read : tensor;
}

}  // namespace

void lint_ranges(const model::Graph& graph, Findings& found) {
  const std::vector<int> stored = model::stored_forms(graph);
  std::vector<int> maker(graph.tensors.size(), -1);
  for (const model::Layer& layer : graph.layers)
    for (const int t : layer.outputs)
      if (t >= 0) maker[at(t)] = layer.index;
  for (const model::Layer& layer : graph.layers) {
    if (layer.outputs.empty() || layer.outputs[0] < 0) continue;
    const int output = stored[at(layer.outputs[0])];
    const auto scale = scale_of(graph, output);
    if (!scale) continue;
    if (const auto span = known_span(layer.type)) {
      const double codes = *span / *scale;
      if (codes < kFewCodes)
        found.push_back({Rule::kFewCodes, codes < kNoCodes ? Level::kFault : Level::kRisk,
                         layer.index, output,
                         "all that it can give, " + std::string(*span > 1 ? "-1 to 1" : "0 to 1") +
                             ", has " + codes_text(codes) + " of 256: its scale is " +
                             number(*scale, 3) + "; give it a scale of its own"});
    }
    if (compare::op_kind(layer.type) != "concat") continue;
    for (const int input : layer.inputs) {
      if (input < 0) continue;
      const int from = before_requantisation(graph, maker, stored[at(input)]);
      const auto own = scale_of(graph, from);
      if (!own) continue;
      const double codes = 255 * *own / *scale;
      if (codes < kFewCodes)
        found.push_back(
            {Rule::kSharedScale, codes < kNoCodes ? Level::kFault : Level::kRisk, layer.index, from,
             "'" + sanitized(graph.tensors[at(from)].spec.name, 60) + "' has " + codes_text(codes) +
                 " of 256 left in the scale that it shares with "
                 "the other inputs (" +
                 number(*scale, 3) + "; its own is " + number(*own, 3) +
                 "): leave the join in float32, or make two outputs of it"});
    }
  }
}

}  // namespace edgeprobe::lint
