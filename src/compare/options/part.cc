// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "compare/align/channel_scale.h"
#include "compare/align/op_kind.h"
#include "compare/options/read.h"
#include "core/index.h"

namespace edgeprobe::compare {
namespace {

bool is_activation(std::string_view kind) { return kind == "activation"; }

// True for a sum or product with a constant, which converters fold into weights.
bool is_with_constant(const OptionSource& source, const model::Layer& layer) {
  static const std::set<std::string_view> kKinds{"add", "sub", "mul", "div"};
  if (kKinds.count(op_kind(layer.type)) == 0 || layer.inputs.size() != 2) return false;
  return (layer.inputs[0] >= 0 && stored_constant(source.graph, layer.inputs[0]) >= 0) ||
         (layer.inputs[1] >= 0 && stored_constant(source.graph, layer.inputs[1]) >= 0);
}

bool has_window(std::string_view kind) {
  return kind == "conv" || kind == "avgpool" || kind == "maxpool";
}

// Amounts of a Pad along height and width; nothing if it pads other axes, or with another value
// than the following operator does.
std::optional<Wholes> in_front_of_window(const OptionSource& source, const OperatorOptions& pad) {
  const auto amounts = pad.values.find("padding");
  const auto* const list =
      amounts == pad.values.end() ? nullptr : std::get_if<Wholes>(&amounts->second);
  const auto mode = pad.values.find("mode"), value = pad.values.find("value");
  if (!list || list->size() < 6 || mode == pad.values.end() ||
      mode->second != model::AttributeValue(std::string("constant")) || value == pad.values.end() ||
      value->second != model::AttributeValue(0.0f))
    return std::nullopt;
  const std::size_t rank = list->size() / 2, from = source.graph.format == "tflite" ? 1 : 2,
                    to = source.graph.format == "tflite" ? rank - 1 : rank;
  Wholes before, after;
  for (std::size_t d = 0; d < rank; ++d) {
    const bool spatial = d >= from && d < to;
    if (!spatial && ((*list)[d] != 0 || (*list)[d + rank] != 0)) return std::nullopt;
    if (!spatial) continue;
    before.push_back((*list)[d]);
    after.push_back((*list)[d + rank]);
  }
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

// Number of places at the end of the data that no window reaches.
std::int64_t untouched(const Window& window, std::size_t d) {
  if (window.input.size() <= d || window.size.size() <= d || window.stride.size() <= d ||
      window.before.size() <= d || window.stride[d] < 1)
    return 0;
  const std::int64_t free = window.input[d] + window.before[d] + window.after[d] -
                            ((window.size[d] - 1) * window.dilation[d] + 1);
  return free < 0 ? 0 : free % window.stride[d];
}

// Combines both ranges: their intersection.
void cut_off(const OperatorOptions& activation, OperatorOptions& into) {
  const auto low = activation.values.find("min"), high = activation.values.find("max");
  if (low == activation.values.end() || high == activation.values.end()) return;
  const auto already = into.values.find("activation");
  // Describes both activations when the fused one clips at other bounds than the separate one.
  const std::string mine = range_text(std::get<float>(low->second), std::get<float>(high->second));
  if (already == into.values.end() || already->second == model::AttributeValue(std::string("none")))
    into.values["activation"] = mine;
  else if (already->second != model::AttributeValue(mine))
    into.values["activation"] = model::to_text(already->second) + ", " + mine;
}

}  // namespace

std::optional<OperatorOptions> options_of_part(const OptionSource& source,
                                               const std::vector<int>& layers) {
  std::vector<int> own;  // The layers without those that converters fold, move or convert.
  for (const int index : layers) {
    const model::Layer& layer = source.graph.layers[at(index)];
    if (!is_conversion(layer.type) && layer.type != "Identity") own.push_back(index);
  }
  if (own.empty()) return std::nullopt;
  if (own.size() == 1) return options_of(source, own.front());
  std::optional<OperatorOptions> core;
  std::vector<OperatorOptions> pads, activations, folded, moved;
  for (const int index : own) {
    const model::Layer& layer = source.graph.layers[at(index)];
    OperatorOptions one = options_of(source, index);
    if (is_activation(one.kind)) activations.push_back(std::move(one));
    else if (one.kind == "pad") pads.push_back(std::move(one));
    else if (one.kind == "batchnorm" || is_with_constant(source, layer))
      folded.push_back(std::move(one));
    else if (is_movement(layer.type)) moved.push_back(std::move(one));
    else if (core) return std::nullopt;
    else core = std::move(one);
  }
  // A reshape next to an operator that moves values does not count.
  if (moved.size() > 1)
    std::erase_if(moved, [](const OperatorOptions& one) { return one.kind == "reshape"; });
  // Without a core operator, takes the first of the others.
  for (std::vector<OperatorOptions>* rest : {&folded, &pads, &activations, &moved})
    if (!core && rest->size() == 1) {
      core = std::move(rest->front());
      rest->clear();
    }
  if (!core) return std::nullopt;
  for (const OperatorOptions& pad : pads) {
    const auto amounts = in_front_of_window(source, pad);
    const auto padding = core->values.find("padding");
    auto* const own_padding =
        padding == core->values.end() ? nullptr : std::get_if<Wholes>(&padding->second);
    if (pad.layer > core->layer || !amounts || !own_padding || !has_window(core->kind) ||
        own_padding->size() != amounts->size() || core->kind == "maxpool")
      return std::nullopt;
    core->padding_layer = pad.layer;
    core->reach.clear();
    // A preceding Pad counts in an average.
    if (core->kind == "avgpool") core->values["padding_counted"] = true;
    // The window's reach into padded data, relative to the data itself.
    const OperatorReader op(source, core->layer);
    const Window window = op.is_tflite() ? window_of_tflite(op, false) : window_of_onnx(op, false);
    const std::size_t n = own_padding->size() / 2;
    for (std::size_t d = 0; d < n; ++d) {
      (*own_padding)[d] += (*amounts)[d];
      (*own_padding)[d + n] = std::max<std::int64_t>(
          0, (*own_padding)[d + n] + (*amounts)[d + n] - untouched(window, d));
    }
  }
  for (const OperatorOptions& activation : activations) {
    if (activation.layer < core->layer) return std::nullopt;
    cut_off(activation, *core);
    core->activation_layer = activation.layer;
  }
  return core;
}

}  // namespace edgeprobe::compare
