// SPDX-License-Identifier: Apache-2.0
#include "compare/align/channel_scale.h"

#include <algorithm>
#include <cmath>

#include "compare/align/op_kind.h"
#include "core/index.h"
#include "model/attributes.h"

namespace edgeprobe::compare {
namespace {

using Found = Result<std::optional<ChannelScale>>;

// The values of a constant, one for each channel. Nothing if it is not a constant, or has another
// shape.
Result<std::optional<std::vector<float>>> numbers(const model::Graph& graph, ByteView file,
                                                  int tensor, std::size_t channels) {
  using Numbers = std::optional<std::vector<float>>;
  if (tensor < 0) return Numbers{};
  const Shape& shape = graph.tensors[at(tensor)].spec.shape;
  if (element_count(shape) != channels) return Numbers{};
  EP_TRY(const auto stored, model::constant(graph, file, tensor));
  EP_TRY(auto values, to_float(stored));
  return Numbers(std::move(values));
}

Result<std::optional<float>> epsilon_of(const model::Graph& graph, ByteView file,
                                        const model::Layer& layer) {
  EP_TRY(const auto all, model::attributes(graph, file));
  std::optional<model::AttributeValue> value;
  for (const model::Attribute& attribute : all[at(layer.index)])
    if (attribute.name == "epsilon") value = attribute.value;
  if (!value) value = model::default_attribute(graph, layer, "epsilon");
  const auto* const real = value ? std::get_if<float>(&*value) : nullptr;
  return real ? std::optional(*real) : std::nullopt;
}

Found batch_norm(const model::Graph& graph, ByteView file, const model::Layer& layer,
                 std::size_t channels) {
  if (layer.inputs.size() < 5) return std::optional<ChannelScale>{};
  std::vector<float> parts[4];  // Scale, shift, mean, variance.
  int stored[4];
  for (std::size_t i = 0; i < 4; ++i) {
    stored[i] = stored_constant(graph, layer.inputs[i + 1]);
    EP_TRY(auto values, numbers(graph, file, stored[i], channels));
    if (!values) return std::optional<ChannelScale>{};
    parts[i] = *std::move(values);
  }
  EP_TRY(const auto epsilon, epsilon_of(graph, file, layer));
  if (!epsilon) return std::optional<ChannelScale>{};
  auto& [scale, shift, mean, variance] = parts;
  ChannelScale found;
  for (std::size_t c = 0; c < channels; ++c) {
    variance[c] = static_cast<float>(std::sqrt(double{variance[c]} + double{*epsilon}));
    found.factor.push_back(scale[c] / variance[c]);
    found.shift.push_back(shift[c] - mean[c] * found.factor[c]);
  }
  found.added = stored[1];
  found.neutral = {{stored[0], variance}, {stored[1], mean}};
  return std::optional(std::move(found));
}

// True if a constant is broadcast only along the channels.
bool lies_along(const model::ModelTensor& operand, const ChannelPlace& place) {
  const Shape& shape = operand.spec.shape;
  return place.channels == 1 || !operand.shape_known ||
         (shape.size() > place.inner &&
          shape[shape.size() - 1 - place.inner] == static_cast<std::int64_t>(place.channels));
}

}  // namespace

int stored_constant(const model::Graph& graph, int tensor) {
  constexpr int kMostHops = 3;
  for (int hops = 0; hops <= kMostHops && tensor >= 0; ++hops) {
    if (graph.tensors[at(tensor)].is_constant) return tensor;
    const auto maker =
        std::find_if(graph.layers.begin(), graph.layers.end(), [&](const model::Layer& layer) {
          return std::count(layer.outputs.begin(), layer.outputs.end(), tensor) > 0;
        });
    if (maker == graph.layers.end() || maker->inputs.empty() ||
        (op_kind(maker->type) != "reshape" && !is_conversion(maker->type)))
      return -1;
    tensor = maker->inputs[0];
  }
  return -1;
}

Found channel_scale(const model::Graph& graph, ByteView file, const model::Layer& layer,
                    const ChannelPlace& place) {
  const std::size_t channels = place.channels;
  if (layer.type == "BatchNormalization") return batch_norm(graph, file, layer, channels);
  const std::string_view kind = op_kind(layer.type);
  if ((kind != "mul" && kind != "add") || layer.inputs.size() != 2)
    return std::optional<ChannelScale>{};
  for (const int input : layer.inputs) {
    const int tensor = stored_constant(graph, input);
    EP_TRY(auto values, numbers(graph, file, tensor, channels));
    if (!values || !lies_along(graph.tensors[at(input)], place)) continue;
    const std::vector<float> ones(channels, 1), zeros(channels, 0);
    ChannelScale found;
    if (kind == "mul") {
      found = {*std::move(values), zeros, {{tensor, ones}}, -1};
    } else {
      found = {ones, *std::move(values), {{tensor, zeros}}, tensor};
    }
    return std::optional(std::move(found));
  }
  return std::optional<ChannelScale>{};
}

}  // namespace edgeprobe::compare
