// SPDX-License-Identifier: Apache-2.0
#include "layers/replay/exact.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/index.h"
#include "core/integer_limits.h"

namespace edgeprobe::layers {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

struct Operation {
  std::string_view type;
  std::size_t inputs;
  double (*make)(double a, double b);
};
constexpr Operation kOperations[] = {
    {"QUANTIZE", 1, [](double a, double) { return a; }},
    {"ADD", 2, [](double a, double b) { return a + b; }},
    {"SUB", 2, [](double a, double b) { return a - b; }},
    {"MUL", 2, [](double a, double b) { return a * b; }},
    {"MAXIMUM", 2, [](double a, double b) { return std::max(a, b); }},
    {"MINIMUM", 2, [](double a, double b) { return std::min(a, b); }},
    {"RELU", 1, [](double a, double) { return std::max(a, 0.0); }},
    {"RELU6", 1, [](double a, double) { return std::clamp(a, 0.0, 6.0); }},
    {"RELU_N1_TO_1", 1, [](double a, double) { return std::clamp(a, -1.0, 1.0); }},
};

struct Range {
  double low = -kUnbounded, high = kUnbounded;
};

/// The range to which the fused activation clips; nothing for an activation of another kind.
std::optional<Range> fused(const model::Attributes& attributes) {
  for (const model::Attribute& one : attributes) {
    if (one.name != "fused_activation") continue;
    const auto* const name = std::get_if<std::string>(&one.value);
    if (!name) return std::nullopt;
    if (*name == "NONE") return Range{};
    if (*name == "RELU") return Range{0, kUnbounded};
    if (*name == "RELU6") return Range{0, 6};
    if (*name == "RELU_N1_TO_1") return Range{-1, 1};
    return std::nullopt;
  }
  return Range{};
}

bool has_one_scale(const TensorSpec& spec) {
  return is_integer(spec.dtype) && spec.quantization.scale.size() == 1;
}

std::optional<std::vector<double>> reals_of(const ModelFile& model, int tensor,
                                            const std::map<int, Tensor>& inputs) {
  if (tensor < 0 || !has_one_scale(model.spec(tensor))) return std::nullopt;
  const TensorSpec& spec = model.spec(tensor);
  const auto recorded = inputs.find(tensor);
  if (recorded == inputs.end() && !model.graph->tensors[at(tensor)].is_constant)
    return std::nullopt;
  const auto constant = recorded == inputs.end()
                            ? model::constant(*model.graph, model.bytes, tensor)
                            : Result<Tensor>(recorded->second);
  if (!constant) return std::nullopt;
  const auto codes = stored_as_float(*constant);
  if (!codes) return std::nullopt;
  const double scale = spec.quantization.scale[0];
  const auto zero = static_cast<double>(spec.quantization.zero_point_at(0));
  std::vector<double> reals;
  for (const float code : *codes) reals.push_back((double{code} - zero) * scale);
  return reals;
}

// Null: its codes are unknown without an engine.
const Operation* operation_of(const model::Layer& op) {
  const auto* const known = std::find_if(std::begin(kOperations), std::end(kOperations),
                                         [&](const Operation& o) { return o.type == op.type; });
  return known != std::end(kOperations) && op.inputs.size() == known->inputs &&
                 op.outputs.size() == 1
             ? known
             : nullptr;
}

}  // namespace

bool has_exact_codes(const model::Layer& op) { return operation_of(op) != nullptr; }

std::optional<std::vector<float>> exact_codes(const ModelFile& model, int layer,
                                              const model::Attributes& attributes,
                                              const std::map<int, Tensor>& inputs) {
  const model::Layer& op = model.graph->layers[at(layer)];
  const Operation* const known = operation_of(op);
  const auto range = fused(attributes);
  if (!known || !range) return std::nullopt;
  const TensorSpec& to = model.spec(op.outputs[0]);
  const auto limits = code_limits(to.dtype);
  if (!limits || !has_one_scale(to)) return std::nullopt;
  std::vector<std::vector<double>> sides;
  for (const int tensor : op.inputs) {
    auto reals = reals_of(model, tensor, inputs);
    if (!reals) return std::nullopt;
    sides.push_back(*std::move(reals));
  }
  const std::size_t count =
      std::max_element(sides.begin(), sides.end(), [](const auto& a, const auto& b) {
        return a.size() < b.size();
      })->size();
  for (const auto& side : sides)
    if (side.size() != count && side.size() != 1) return std::nullopt;
  const double scale = to.quantization.scale[0];
  const auto zero = static_cast<double>(to.quantization.zero_point_at(0));
  std::vector<float> codes;
  const auto value = [&](std::size_t side, std::size_t i) {
    return sides[side][sides[side].size() == 1 ? 0 : i];
  };
  for (std::size_t i = 0; i < count; ++i) {
    const double real = std::clamp(known->make(value(0, i), sides.size() > 1 ? value(1, i) : 0),
                                   range->low, range->high);
    codes.push_back(static_cast<float>(std::clamp(std::round(real / scale) + zero,
                                                  static_cast<double>(limits->least),
                                                  static_cast<double>(limits->most))));
  }
  return codes;
}

}  // namespace edgeprobe::layers
