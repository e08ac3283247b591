// SPDX-License-Identifier: Apache-2.0
#include "engine/tflite/xnnpack_times.h"

#include <algorithm>
#include <array>
#include <optional>

#include "model/format.h"
#include "model/graph.h"

namespace edgeprobe::engine::tflite {
namespace {

/// XNNPACK's operators for a TFLite one, by the beginnings of their names.
struct Made {
  const char* layer;
  std::array<const char*, 3> operators;
  /// The operator may disappear: merged into its neighbours, or a view of the same memory.
  bool light = false;
};
constexpr Made kMade[] = {
    {"CONV_2D", {"Convolution", "Fully Connected"}},
    {"DEPTHWISE_CONV_2D", {"Convolution"}},
    {"TRANSPOSE_CONV", {"Deconvolution"}},
    {"FULLY_CONNECTED", {"Fully Connected"}},
    {"ADD", {"Add"}},
    {"SUB", {"Subtract"}},
    {"MUL", {"Multiply"}},
    {"DIV", {"Divide"}},
    {"MAXIMUM", {"Maximum"}},
    {"MINIMUM", {"Minimum"}},
    {"SQUARED_DIFFERENCE", {"Squared Difference"}},
    {"SQUARE", {"Square"}},
    {"SQRT", {"Square Root"}},
    {"RSQRT", {"Reciprocal Square Root"}},
    {"ABS", {"Abs"}},
    {"NEG", {"Negate"}},
    {"EXP", {"Exp"}},
    {"LOG", {"Log"}},
    {"SOFTMAX", {"Softmax"}},
    {"MEAN", {"Global Average Pooling", "Mean"}},
    {"SUM", {"Global Sum Pooling", "Sum"}},
    {"AVERAGE_POOL_2D", {"Average Pooling", "Global Average Pooling"}},
    {"MAX_POOL_2D", {"Max Pooling"}},
    {"LOGISTIC", {"Sigmoid"}},
    {"TANH", {"Tanh"}},
    {"HARD_SWISH", {"HardSwish", "Hard Swish"}},
    {"LEAKY_RELU", {"Leaky ReLU", "LeakyReLU"}},
    {"PRELU", {"PReLU", "Prelu"}},
    {"RESIZE_BILINEAR", {"Resize Bilinear"}},
    {"RELU", {"Clamp"}, true},
    {"RELU6", {"Clamp"}, true},
    {"QUANTIZE", {"Convert"}, true},
    {"DEQUANTIZE", {"Convert"}, true},
    {"PAD", {"Constant Pad"}, true},
    {"RESHAPE", {"Copy", "Static Reshape"}, true},
    {"EXPAND_DIMS", {"Copy", "Static Reshape"}, true},
    {"SQUEEZE", {"Copy", "Static Reshape"}, true},
    {"CONCATENATION", {"Copy", "Concatenate"}, true},
    {"SLICE", {"Slice"}, true},
    {"STRIDED_SLICE", {"Slice"}, true},
    {"TRANSPOSE", {"Transpose"}, true},
};

const Made* made_of(const std::string& layer) {
  for (const Made& made : kMade)
    if (layer == made.layer) return &made;
  return nullptr;
}

bool fits(const std::string& layer, const std::string& name) {
  const Made* const made = made_of(layer);
  if (!made) return false;
  if (name.find("DWConv") != std::string::npos && layer != "DEPTHWISE_CONV_2D") return false;
  return std::any_of(made->operators.begin(), made->operators.end(),
                     [&](const char* start) { return start && name.starts_with(start); });
}

bool is_light_layer(const std::string& layer) {
  const Made* const made = made_of(layer);
  return made && made->light;
}

/// Changes of layout, memory or type, and activations: they may belong to either neighbour.
bool is_light_operator(const std::string& name) {
  for (const char* const start : {"Copy", "Static Reshape", "Transpose", "Convert", "Clamp",
                                  "Constant Pad", "Concatenate", "Slice"})
    if (name.starts_with(start)) return true;
  return false;
}

using Positions = std::vector<std::size_t>;

/// Positions in [from, to) for which `is` returns true.
template <class Is>
Positions positions(std::size_t from, std::size_t to, Is is) {
  Positions found;
  for (std::size_t at = from; at < to; ++at)
    if (is(at)) found.push_back(at);
  return found;
}

/// The order in which TFLite runs the layers once a delegate has those in `taken`: it gathers as
/// many layers of one side as can run, then of the other. `pieces` receives the delegate's number
/// of turns.
std::vector<int> order_of(const model::Graph& graph, const std::vector<int>& taken, int& pieces) {
  std::vector<bool> mine(graph.layers.size());
  for (const int layer : taken)
    if (layer >= 0 && static_cast<std::size_t>(layer) < mine.size())
      mine[static_cast<std::size_t>(layer)] = true;
  std::vector<bool> made(graph.tensors.size(), true);
  for (const model::Layer& layer : graph.layers)
    for (const int tensor : layer.outputs)
      if (tensor >= 0) made[static_cast<std::size_t>(tensor)] = false;
  std::vector<bool> done(graph.layers.size());
  std::vector<int> order;
  for (std::size_t count = 0; count < graph.layers.size();) {
    std::optional<bool> side;
    for (const model::Layer& layer : graph.layers) {
      const auto index = static_cast<std::size_t>(layer.index);
      const bool ready =
          !done[index] && std::all_of(layer.inputs.begin(), layer.inputs.end(), [&](int tensor) {
            return tensor < 0 || made[static_cast<std::size_t>(tensor)];
          });
      if (!ready || (side && *side != mine[index])) continue;
      if (!side && mine[index]) ++pieces;
      side = mine[index];
      done[index] = true;
      ++count;
      for (const int tensor : layer.outputs)
        if (tensor >= 0) made[static_cast<std::size_t>(tensor)] = true;
      if (mine[index]) order.push_back(layer.index);
    }
    if (!side) return {};
  }
  return order;
}

}  // namespace

XnnpackShare share_of(ByteView file, const std::vector<int>& taken, int pieces) {
  XnnpackShare share{taken, {}, {}};
  const auto graph = model::read_unhashed(file, "the model", {});
  if (!graph) return share;
  int expected = 0;
  std::vector<int> order = order_of(*graph, taken, expected);
  if (expected != pieces || order.size() != taken.size()) return share;
  share.order = std::move(order);
  for (const int layer : share.order)
    share.types.push_back(graph->layers[static_cast<std::size_t>(layer)].type);
  return share;
}

std::vector<std::vector<int>> layers_of(const std::vector<std::string>& operators,
                                        const XnnpackShare& share) {
  const std::vector<std::vector<int>> unknown(operators.size());
  std::vector<std::vector<int>> layers = unknown;
  const Positions heavy = positions(
      0, operators.size(), [&](std::size_t at) { return !is_light_operator(operators[at]); });
  const Positions anchors = positions(
      0, share.order.size(), [&](std::size_t at) { return !is_light_layer(share.types[at]); });
  if (heavy.size() != anchors.size()) return unknown;
  for (std::size_t i = 0; i < heavy.size(); ++i) {
    if (!fits(share.types[anchors[i]], operators[heavy[i]])) return unknown;
    layers[heavy[i]] = {share.order[anchors[i]]};
  }
  // Operators between two certain ones are certain too if both sides have equally many.
  for (std::size_t i = 0; i <= heavy.size(); ++i) {
    const auto gap = [&](const Positions& fixed, std::size_t end) {
      return positions(i == 0 ? 0 : fixed[i - 1] + 1, i == fixed.size() ? end : fixed[i],
                       [](std::size_t) { return true; });
    };
    const Positions light = gap(heavy, operators.size());
    const Positions between = gap(anchors, share.order.size());
    if (light.size() == between.size()) {
      bool all = true;
      for (std::size_t n = 0; n < light.size(); ++n)
        all = all && fits(share.types[between[n]], operators[light[n]]);
      for (std::size_t n = 0; all && n < light.size(); ++n)
        layers[light[n]] = {share.order[between[n]]};
    } else if (between.empty() && light.size() == 1 && i > 0 &&
               operators[light[0]].starts_with("Clamp")) {
      layers[light[0]] = layers[heavy[i - 1]];  // The activation of the previous layer.
    }
  }
  return layers;
}

std::string precision_of(std::string_view name) {
  constexpr std::array<std::array<const char*, 2>, 7> kNames{{{"BF16", "bf16"},
                                                              {"F16", "f16"},
                                                              {"F32", "f32"},
                                                              {"QC8", "i8"},
                                                              {"QS8", "i8"},
                                                              {"QD8", "i8"},
                                                              {"QU8", "u8"}}};
  const auto open = name.find('(');
  const auto close = name.find(')', open);
  if (open == std::string_view::npos || close == std::string_view::npos) return "";
  std::string_view inside = name.substr(open + 1, close - open - 1);
  while (!inside.empty()) {
    const auto comma = inside.find(", ");
    const std::string_view word = inside.substr(0, comma);
    for (const auto& [xnnpack, ours] : kNames)
      if (word == xnnpack) return ours;
    inside = comma == std::string_view::npos ? std::string_view() : inside.substr(comma + 2);
  }
  return "";
}

void complete(std::vector<OpTime>& times, std::chrono::nanoseconds latency,
              const XnnpackShare& share) {
  if (share.taken.empty()) return;
  std::vector<OpTime*> inner;
  std::vector<std::string> operators;
  std::chrono::nanoseconds inside{0}, others{0};
  for (OpTime& op : times) {
    (op.inner ? inside : others) += op.time;
    if (!op.inner) continue;
    inner.push_back(&op);
    operators.push_back(op.type);
    op.precision = precision_of(op.type);
  }
  auto layers = layers_of(operators, share);
  for (std::size_t i = 0; i < inner.size(); ++i) inner[i]->layers = std::move(layers[i]);
  const auto first =
      std::find_if(times.begin(), times.end(), [](const OpTime& op) { return op.inner; });
  times.insert(
      first, {"", "delegate xnnpack", share.taken, "", false, std::max(latency - others, inside)});
}

}  // namespace edgeprobe::engine::tflite
